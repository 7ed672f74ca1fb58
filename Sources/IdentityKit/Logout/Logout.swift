/// The sessions that logouts end in the current task, to recognize calls that a participant makes meanwhile.
///
/// Several, because a participant may log out another session of the buyer.
enum EndingSessions {
    @TaskLocal static var ids: Set<SessionID> = []
}
