/** How often and how patiently a request is repeated. */
export interface RetryOptions {
  attempts: number;
  firstDelayMs: number;
}

const DEFAULTS: RetryOptions = { attempts: 3, firstDelayMs: 200 };

/** Repeat a failing request with doubled delays; the last error is thrown. */
export async function withRetry<T>(request: () => Promise<T>, options: RetryOptions = DEFAULTS): Promise<T> {
  let delay = options.firstDelayMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (attempt >= options.attempts) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay *= 2;
    }
  }
}
