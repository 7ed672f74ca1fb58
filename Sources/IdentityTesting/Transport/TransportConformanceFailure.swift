/// The requirements of ``TransportConformance`` that a transport does not meet.
public struct TransportConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// One requirement that is not met.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The requirement, as a sentence.
        public let promise: String
        /// What happened instead.
        public let observation: String

        /// The requirement and what happened instead.
        public var description: String { "\(promise): \(observation)" }
    }

    /// All requirements that are not met.
    public let findings: [Finding]

    /// One line for each requirement that is not met.
    public var description: String {
        findings.map(\.description).joined(separator: "\n")
    }
}
