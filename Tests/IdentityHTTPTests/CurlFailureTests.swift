import CIdentityCurl
import Testing

@testable import IdentityHTTP

@Suite struct CurlFailureTests {
    @Test(
        "a connection that ends during the handshake is connectionFailed, another TLS fault tlsFailed, in the texts of several versions",
        arguments: [
            ("Recv failure: Connection reset by peer", HTTPTransportError.Code.connectionFailed),
            ("OpenSSL SSL_connect: Connection reset by peer in connection to a.example:443 ", .connectionFailed),
            ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a.example:443 ", .connectionFailed),
            ("error:0A000126:SSL routines::unexpected eof while reading", .connectionFailed),
            ("error:0A00010B:SSL routines::wrong version number", .tlsFailed),
            ("error:0A000410:SSL routines::sslv3 alert handshake failure", .tlsFailed), ("", .tlsFailed),
        ]
    )
    func handshake(detail: String, code: HTTPTransportError.Code) {
        #expect(self.code(CURLE_SSL_CONNECT_ERROR, .notSent, detail) == code)
        #expect(self.code(CURLE_PEER_FAILED_VERIFICATION, .notSent, detail) == .tlsFailed)
    }

    @Test(
        "a header line that is too long for libcurl gives headersTooLarge, with the codes of libcurl 8.6 and of older versions"
    )
    func headerLine() {
        for result in [CURLcode(rawValue: 100), CURLE_OUT_OF_MEMORY] {
            #expect(self.code(result, .ambiguous) == .headersTooLarge)
            #expect(self.code(result, .notSent) == .internalFailure)
        }
    }

    private func code(
        _ result: CURLcode,
        _ phase: HTTPTransportError.Phase,
        _ detail: String = ""
    ) -> HTTPTransportError.Code {
        CurlFailure.reason(result, phase: phase, hasHeaders: false, detail: detail).code
    }
}
