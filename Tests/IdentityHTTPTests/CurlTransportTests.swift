import IdentityHTTP
import IdentityTesting
import Testing

@Suite struct CurlTransportTests {
    @Test("the transport keeps what HTTPTransport promises")
    func conformance() async throws {
        try await TransportConformance.run { try CurlTransport() }
    }
}
