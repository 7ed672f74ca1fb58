public import IdentityHTTP

/// Tests what every `IdentityHTTP.HTTPTransport` must do, against a server on 127.0.0.1 with valid and invalid responses.
///
/// ```swift
/// @Test("my transport keeps what HTTPTransport promises")
/// func conformance() async throws {
///     try await TransportConformance.run { MyTransport() }
/// }
/// ```
public struct TransportConformance {
    /// Tests all requirements, each with a new transport.
    ///
    /// - Parameter make: Makes a transport.
    /// - Throws: ``TransportConformanceFailure`` with every requirement that was not met, or what `make` throws.
    public static func run(_ make: () async throws -> any HTTPTransport) async throws {
        var findings: [TransportConformanceFailure.Finding] = []
        for (promise, check) in exchangeCases + limitCases + framingCases + trustCases {
            let transport = try await make()
            do {
                try await check(TransportProbe(transport))
            } catch {
                findings.append(.init(promise: promise, observation: String(describing: error)))
            }
        }
        if !findings.isEmpty { throw TransportConformanceFailure(findings: findings) }
    }

    typealias Case = (promise: String, check: @Sendable (TransportProbe) async throws -> Void)
}
