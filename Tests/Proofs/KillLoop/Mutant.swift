/// Faults that are injected to show that the run detects them.
enum Mutant: String, Codable, CaseIterable, Sendable {
    /// Every session lock is granted immediately to all callers.
    case locksNothing = "no-lock"
    /// A save overwrites any generation.
    case ignoresGeneration = "no-generation"
    /// A response is not stored before it is validated.
    case writesNoJournal = "no-journal"
}
