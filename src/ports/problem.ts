/** What `verify` can find in a ledger. Derived rows can be repaired; the rest asks for a backup. */
export interface Problem {
  readonly code:
    | 'DAMAGED_FILE'
    | 'BROKEN_REFERENCE'
    | 'POSITION_GAP'
    | 'WRONG_HEAD'
    | 'WRONG_COUNT'
    | 'MISSING_CAUSE'
    | 'SURPLUS_CAUSE'
    | 'WRONG_IDENTICAL'
    | 'WRONG_SESSION_COUNT'
    | 'WRONG_TEXT_INDEX'
    | 'WRONG_VECTOR_INDEX'
    | 'WRONG_ATTRIBUTE_INDEX'
  readonly what: string
  readonly repaired: boolean
}
