internal import IdentityKit

/// Limits on the size, nesting and number of values of a response.
public struct GraphQLLimits: Sendable, Hashable {
    /// The maximum size of a response's body in bytes, by default 8 MiB and never more than 256 MiB.
    public var maximumBytes: Int
    /// The maximum nesting of lists and objects, by default 64 and never more than 512.
    public var maximumDepth: Int
    /// The maximum number of values and names in a response, by default 1,048,576; each takes eight bytes of memory.
    public var maximumElements: Int

    /// Creates limits.
    public init(maximumBytes: Int = 8 << 20, maximumDepth: Int = 64, maximumElements: Int = 1 << 20) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumElements = maximumElements
    }

    func tape(_ bytes: [UInt8], root: (JSONTape) -> Int = { _ in 0 }) throws(JSONError) -> JSONTape {
        // `JSONTape.json` is recursive, so deeper nesting could overflow the stack.
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: min(maximumDepth, 512))
        return try TapeBuilder.tape(bytes, limits, maximumElements: maximumElements, root: root)
    }
}
