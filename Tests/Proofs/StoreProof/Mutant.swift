/// A fault in what a store relies on, which a proof has to find.
enum Mutant: String, Sendable {
    case none
    /// Nothing is ever synchronized.
    case noSync = "no-sync"
    /// Directories are not.
    case noDirectorySync = "no-directory-sync"
    /// Writes that fail are said to be done.
    case silentWrites = "silent-writes"
    /// Saves are acknowledged before they are done.
    case earlyAcknowledgement = "early-acknowledgement"
}
