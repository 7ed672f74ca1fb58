/// The error of a ``TransportConformance`` case whose requirement the transport does not meet, or that could not be tested.
public struct TransportConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let requirement: String
    /// The observation that contradicts the requirement.
    public let observation: String

    /// The requirement and the observation.
    public var description: String { "\(requirement): \(observation)" }
}
