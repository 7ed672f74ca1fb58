/// Whether the current task runs in a logout, to recognize calls that a participant makes meanwhile.
///
/// A task that a participant starts inherits the value. Its later logouts then do not join a running logout either.
enum Logout {
    @TaskLocal static var isCurrent = false
}
