public import FoundationEssentials

/// The time or the pause after which the server wants the next poll.
public enum PollHint: Sendable, Hashable {
    /// Not before this time by the server's clock: `pollAfter` of `CartThrottled` and `SubmitThrottled`.
    case after(Date)
    /// After this pause: `pollDelay` of `CartCompletionProcessing`, which is in milliseconds.
    case delay(Duration)
}
