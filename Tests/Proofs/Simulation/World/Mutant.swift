/// Faults that are injected in order to show that the run detects them.
enum Mutant: String, CaseIterable {
    case none
    /// Every lock is granted immediately to all callers.
    case locksNothing = "no-lock"
    /// A save overwrites any generation.
    case ignoresGeneration = "no-generation"
    /// A claim is reported as written but is not.
    case writesNoClaim = "no-claim"
    /// A stored response is reported as written but is not.
    case writesNoJournal = "no-journal"
    /// An expired lease is reported as held.
    case neverAsksTheLease = "never-asks-lease"
    /// A stored response is validated with the current time instead of the time at which it was received.
    case validatesByNow = "validated-by-now"
    /// A refused response counts as a response without tokens, so that the old token is sent again.
    case resendsRefused = "resends-refused"

    /// Whether the fault is injected into the providers instead of the store.
    var concernsProviders: Bool { self == .validatesByNow || self == .resendsRefused }
}
