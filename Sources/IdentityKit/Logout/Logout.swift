enum Logout {
    /// Whether the current task runs in a logout, so that a logout that a participant calls does not join it (``RunningLogouts``).
    ///
    /// Tasks that a participant starts inherit the value, and their logouts never join a running one.
    @TaskLocal static var isCurrent = false
}
