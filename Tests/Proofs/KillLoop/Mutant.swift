/// Faults that are injected to show that the run detects them.
enum Mutant: String, Codable, CaseIterable, Sendable {
    /// Every session lock is granted immediately to all callers.
    case locksNothing = "no-lock"
    /// A save overwrites any generation.
    case ignoresGeneration = "no-generation"
    /// A response is not stored before it is validated.
    case writesNoJournal = "no-journal"
    /// Every worker process fails before it begins.
    case failsAtStart = "fails-at-start"
    /// Every worker process fails after its work.
    case failsAtEnd = "fails-at-end"
    /// The worker processes request no tokens.
    case requestsNoTokens = "no-requests"
}
