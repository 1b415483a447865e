/** What metadata may hold. Numbers are finite; keys of objects are any string. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export type Metadata = { readonly [key: string]: Json }
