/**
 * Minimum-norm least squares for the small, often rank-deficient systems of the ARIMA starting values, by the singular
 * value decomposition with one-sided Jacobi rotations (Hestenes, "Inversion of matrices by biorthogonalization and
 * related results", 1958). Solutions are those of the pseudo-inverse that statsmodels takes its starting values from.
 *
 * @module
 */

/** Singular values below this share of the largest count as zero. */
const RANK_TOLERANCE = 1e-15;

/**
 * Solves `rows · x ≈ y` by a singular value decomposition (one-sided Jacobi rotations); of all best solutions the
 * shortest. No rows give zeros.
 *
 * @param rows one array a row, `columns` long
 */
export function leastSquares(rows: readonly Float64Array[], y: ArrayLike<number>, columns: number): Float64Array {
  const count = rows.length;
  // Columns are rotated until they are orthogonal: A V = U S.
  const a: Float64Array[] = [], v: Float64Array[] = [];
  for (let j = 0; j < columns; j++) {
    const column = new Float64Array(count), unit = new Float64Array(columns);
    for (let i = 0; i < count; i++) column[i] = rows[i][j];
    unit[j] = 1;
    a.push(column);
    v.push(unit);
  }
  for (let sweep = 0, rotated = true; rotated && sweep < 60; sweep++) {
    rotated = false;
    for (let i = 0; i < columns - 1; i++) {
      for (let j = i + 1; j < columns; j++) {
        const ii = dot(a[i], a[i]), jj = dot(a[j], a[j]), ij = dot(a[i], a[j]);
        if (ij === 0 || Math.abs(ij) <= 1e-16 * Math.sqrt(ii * jj)) continue;
        rotated = true;
        const tau = (jj - ii) / (2 * ij);
        const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
        const c = 1 / Math.sqrt(1 + t * t), s = c * t;
        rotate(a[i], a[j], c, s);
        rotate(v[i], v[j], c, s);
      }
    }
  }
  const squares = a.map((column) => dot(column, column));
  const smallest = Math.max(...squares, 0) * RANK_TOLERANCE ** 2;
  const target = new Float64Array(count);
  for (let i = 0; i < count; i++) target[i] = y[i];
  const x = new Float64Array(columns);
  for (let j = 0; j < columns; j++) {
    if (squares[j] === 0 || squares[j] <= smallest) continue;
    const weight = dot(a[j], target) / squares[j];
    for (let k = 0; k < columns; k++) x[k] += weight * v[j][k];
  }
  return x;
}

function dot(x: Float64Array, z: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * z[i];
  return sum;
}

/** Turns two columns by an angle with cosine `c` and sine `s`. */
function rotate(x: Float64Array, z: Float64Array, c: number, s: number): void {
  for (let k = 0; k < x.length; k++) {
    const xk = x[k], zk = z[k];
    x[k] = c * xk - s * zk;
    z[k] = s * xk + c * zk;
  }
}
