/**
 * What GPUs cost: one price an hour, and money as people write it.
 *
 * @module
 */
import { ConfigError, type OptionNames } from "../errors.ts";

/** What a GPU costs. */
export interface Price {
  /** Money for one GPU and one hour, above 0. */
  perGpuHour: number;
  /** Its unit: a symbol (`$`, `€`) or a code (`EUR`). Default `$`. */
  currency?: string | null;
}

/** Names of a price's fields. */
export const PRICE_OPTIONS: OptionNames<Price> = { perGpuHour: true, currency: true };

/** Unit of prices that name none. */
export const CURRENCY = "$";

/**
 * Refuses a price that is none.
 *
 * @throws {ConfigError} for one that is not finite and positive, and for an empty unit
 */
export function checkPrice({ perGpuHour, currency }: Price): void {
  if (typeof perGpuHour !== "number" || !Number.isFinite(perGpuHour) || perGpuHour <= 0) {
    throw new ConfigError(`price.perGpuHour must be finite and positive, got ${perGpuHour}`);
  }
  if (currency != null && (typeof currency !== "string" || currency.trim() === "")) {
    throw new ConfigError(`price.currency must be a symbol or a code, got ${JSON.stringify(currency)}`);
  }
}

/** What a run cost, as reports have it. */
export interface Cost {
  /** Money for one GPU and one hour. */
  price_per_gpu_hour: number;
  /** Unit of every amount here. */
  currency: string;
  /** All GPU hours: workers that start and drain are paid for too. */
  total: number;
  /** For a million output tokens of completed requests; null without any. */
  per_million_output_tokens: number | null;
  /** For a thousand requests within the SLA; null without an SLA and when no request kept it. */
  per_thousand_good_requests: number | null;
}

/** What of a summary decides a cost. */
export interface CostBasis {
  /** GPU hours of the run. */
  gpu_hours: number;
  /** Output tokens of completed requests. */
  total_output_tokens: number;
  /** Requests within the SLA; absent without one. */
  goodput_completed_requests?: number;
}

/** The cost of a run. */
export function costOf(
  { gpu_hours: hours, total_output_tokens: tokens, goodput_completed_requests: good = 0 }: CostBasis,
  { perGpuHour, currency }: Price,
): Cost {
  const total = hours * perGpuHour;
  return {
    price_per_gpu_hour: perGpuHour,
    currency: currency ?? CURRENCY,
    total,
    per_million_output_tokens: tokens > 0 ? total / tokens * 1e6 : null,
    per_thousand_good_requests: good > 0 ? total / good * 1e3 : null,
  };
}

/** `$12.34`, `12.34 EUR`: two decimals, three significant digits below one, thousands set off. */
export function moneyText(amount: number, currency: string = CURRENCY): string {
  const small = amount !== 0 && Math.abs(amount) < 1;
  const [whole, decimals] = (small ? String(Number(amount.toPrecision(3))) : amount.toFixed(2)).split(".");
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === undefined ? "" : `.${decimals}`);
  return /^[A-Za-z]/.test(currency) ? `${text} ${currency}` : `${currency}${text}`;
}
