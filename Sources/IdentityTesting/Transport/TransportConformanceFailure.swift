/// What a transport does that ``TransportConformance`` does not permit.
public struct TransportConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// One broken promise.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let promise: String
        /// What happened instead.
        public let observation: String

        /// The promise and what happened instead.
        public var description: String { "\(promise): \(observation)" }
    }

    /// All broken promises.
    public let findings: [Finding]

    /// One line for each broken promise.
    public var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
