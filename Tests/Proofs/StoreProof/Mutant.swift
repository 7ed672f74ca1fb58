/// A fault in the system calls or in the acknowledgement, which a proof must detect.
enum Mutant: String, Sendable {
    case none
    /// No synchronization takes effect.
    case noSync = "no-sync"
    /// Synchronizations of directories have no effect.
    case noDirectorySync = "no-directory-sync"
    /// After a loss of power the store uses the file of pending logins of the boot before.
    case sameBoot = "same-boot"
    /// Failed writes are reported as successful.
    case silentWrites = "silent-writes"
    /// Saves are acknowledged before they are written.
    case earlyAcknowledgement = "early-acknowledgement"
}
