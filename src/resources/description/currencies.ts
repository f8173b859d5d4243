// The currencies of amounts, with the number of decimal places of each (ISO 4217). Units of account and metals are left out, since nobody
// pays with them. Pure.

const CODES: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD
    KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
    NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS
    TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

/** The codes of the currencies, by their number of decimal places. */
export const CURRENCIES_BY_PLACES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(CODES).map(([places, codes]) => [places, codes.split(/\s+/)]),
);

const PLACES: ReadonlyMap<string, number> = new Map(
  Object.entries(CURRENCIES_BY_PLACES).flatMap(([places, codes]) =>
    codes.map((code) => [code, Number(places)] as const),
  ),
);

/** The number of decimal places of a currency; undefined for any other text. */
export function decimalPlacesOf(code: string): number | undefined {
  return PLACES.get(code);
}
