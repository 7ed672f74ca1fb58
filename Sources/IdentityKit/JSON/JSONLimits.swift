/// Limits for parsing untrusted JSON.
public struct JSONLimits: Sendable {
    /// The largest text in bytes, by default 1 MiB and never more than 256 MiB.
    public var maximumBytes: Int
    /// The deepest nesting of arrays and objects, by default 64; with a much higher limit, a text can exhaust the stack.
    public var maximumDepth: Int

    /// Creates limits.
    public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
    }
}
