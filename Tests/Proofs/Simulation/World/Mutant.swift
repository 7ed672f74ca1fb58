/// Faults that are built in on purpose, to show that the run finds them.
enum Mutant: String, CaseIterable {
    case none
    /// Every lock is granted at once to everybody.
    case locksNothing = "no-lock"
    /// A save overwrites whatever generation is there.
    case ignoresGeneration = "no-generation"
    /// A claim is answered as written and is not.
    case writesNoIntent = "no-intent"
    /// A stored answer is answered as written and is not.
    case writesNoJournal = "no-journal"
    /// The holder of a lease is always told that it still holds it.
    case neverAsksTheLease = "never-asks-lease"
    /// A stored answer is judged with the current time instead of the time of its receipt.
    case judgesByNow = "judged-by-now"
    /// An answer that is refused counts as an answer without tokens, so that the old token is sent again.
    case resendsRefused = "resends-refused"

    /// Whether it is built into the providers, and not into the store.
    var concernsProviders: Bool { self == .judgesByNow || self == .resendsRefused }
}
