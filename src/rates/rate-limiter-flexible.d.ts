// The library's files by themselves: its index loads every store that it knows, which takes 50 ms.
declare module 'rate-limiter-flexible/lib/RateLimiterMemory.js' {
  // biome-ignore lint/style/noDefaultExport: what the file exports is the class itself.
  export { RateLimiterMemory as default } from 'rate-limiter-flexible';
}
declare module 'rate-limiter-flexible/lib/RateLimiterRedis.js' {
  // biome-ignore lint/style/noDefaultExport: what the file exports is the class itself.
  export { RateLimiterRedis as default } from 'rate-limiter-flexible';
}
