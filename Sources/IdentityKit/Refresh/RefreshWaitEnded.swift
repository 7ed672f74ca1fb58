/// The error of a refresh whose own time limit has passed while it waited for another process.
///
/// A caller that joined the refresh and has a longer limit tries again. Other errors with the code `refresh_busy` are thrown to every
/// caller that joined.
struct RefreshWaitEnded: Error {
    let limit: Duration
    let error: IdentityError
}
