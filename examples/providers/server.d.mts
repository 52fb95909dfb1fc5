import type { Server } from "node:http";

export interface ScrapingApiOptions {
  plan?: number;
  credits?: number;
  ms?: number;
  key?: string;
  target?: (url: URL, attempt: number) => { status: number; html: string };
}

export interface ScrapingApiState {
  plan: number;
  credits: number;
  refill: number;
  working: number;
  mostWorking: number;
  /** Milliseconds of work, over all calls. */
  area: number;
  readonly calls: { at: number; url: string; rendered: boolean; status: number; credits: number }[];
}

export function scrapingApi(options?: ScrapingApiOptions): { server: Server; state: ScrapingApiState; reset: () => void };
