/// A requirement of ``TransportConformance`` that a transport does not meet.
public struct TransportConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let requirement: String
    /// The observation that contradicts the requirement.
    public let observation: String

    /// The requirement and what happened instead.
    public var description: String { "\(requirement): \(observation)" }
}
