/// Faults that are built in on purpose, to show that the run finds them.
enum Mutant: String, Codable, CaseIterable, Sendable {
    /// Every session lock is granted at once to everybody.
    case locksNothing = "no-lock"
    /// A save overwrites whatever generation is there.
    case ignoresGeneration = "no-generation"
    /// An answer is not stored before it is judged.
    case writesNoJournal = "no-journal"
}
