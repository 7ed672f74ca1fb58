/// The error of a refresh whose own time limit has passed while it waited for another process.
///
/// A caller that joined the refresh may have a longer limit. Other errors with the code `refresh_busy` hold for every caller.
struct RefreshWaitEnded: Error {
    /// The time limit.
    let limit: Duration
    /// The error for callers.
    let error: IdentityError
}
