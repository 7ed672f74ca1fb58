public import IdentityHTTP

/// Tests the requirements of `IdentityHTTP.HTTPTransport` with servers on this machine that send valid and invalid responses.
///
/// ```swift
/// @Test(arguments: TransportConformance.cases)
/// func conformance(_ testCase: TransportConformance.Case) async throws {
///     try await testCase.run { MyTransport() }
/// }
/// ```
public struct TransportConformance {
    /// One requirement; its subject is a transport.
    public typealias Case = ConformanceCase<any HTTPTransport>

    /// All requirements.
    public static let cases = exchangeCases + limitCases + framingCases + trustCases
}

extension ConformanceCase<any HTTPTransport> {
    init(_ name: String, _ check: @escaping @Sendable (TransportProbe) async throws -> Void) {
        self.init(name) { (transport: any HTTPTransport) in try await check(TransportProbe(transport: transport)) }
    }

    /// Tests the requirement with a new transport.
    ///
    /// - Parameter make: Creates a transport.
    /// - Throws: ``TransportConformanceFailure`` if the requirement is not met or could not be tested, or the error of `make`.
    public func run(_ make: () async throws -> any HTTPTransport) async throws {
        let transport = try await make()
        do {
            try await body(transport)
        } catch {
            throw TransportConformanceFailure(requirement: name, observation: String(describing: error))
        }
    }
}

/// The error of a ``TransportConformance`` case whose requirement the transport does not meet, or that could not be tested.
public struct TransportConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let requirement: String
    /// The observation that contradicts the requirement, or the error that prevented the test.
    public let observation: String

    /// The requirement and the observation.
    public var description: String { "\(requirement): \(observation)" }
}
