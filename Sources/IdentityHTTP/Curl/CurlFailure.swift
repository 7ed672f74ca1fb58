internal import CIdentityCurl

/// Turns libcurl's results into errors that are safe to log.
enum CurlFailure {
    static func closed(_ phase: HTTPTransportError.Phase) -> HTTPTransportError {
        HTTPTransportError(code: .closed, phase: phase, message: "The transport is closed.")
    }

    /// The message contains libcurl's text `detail` only for `tlsFailed`, because other texts may repeat data of the server or the request.
    static func reason(
        _ result: CURLcode,
        phase: HTTPTransportError.Phase,
        hasHeaders: Bool,
        detail: String
    ) -> (code: HTTPTransportError.Code, message: String) {
        let code: HTTPTransportError.Code =
            switch result {
            case CURLE_URL_MALFORMAT:
                .invalidURL
            case CURLE_UNSUPPORTED_PROTOCOL:
                // libcurl also returns this result for a response without a status line (HTTP/0.9).
                phase == .notSent ? .invalidURL : .protocolViolation
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
                .resolutionFailed
            case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
                .connectionFailed
            case CURLE_SSL_CONNECT_ERROR where isLostConnection(detail),
                CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
                phase == .notSent ? .connectionFailed : .connectionLost
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE,
                CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT:
                .tlsFailed
            case CURLE_OPERATION_TIMEDOUT:
                .timedOut
            case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
                .protocolViolation
            case CURLE_OUT_OF_MEMORY, tooLarge:
                // libcurl also limits the length of a header line and returns these results for a longer line.
                phase == .ambiguous && !hasHeaders ? .headersTooLarge : .internalFailure
            default:
                .internalFailure
            }
        // For the next two errors, libcurl's own texts, such as "Out of memory" and "Unsupported protocol", would mislead the reader.
        if code == .headersTooLarge {
            return (code, "A response header is longer than libcurl permits, or the process has too little memory.")
        }
        if code == .protocolViolation, result == CURLE_UNSUPPORTED_PROTOCOL {
            return (code, "The response has no valid status line.")
        }
        var message = unsafe String(cString: curl_easy_strerror(result))
        if code == .tlsFailed, !detail.isEmpty { message += " (\(detail))" }
        return (code, message)
    }

    /// CURLE_TOO_LARGE, which the headers of libcurl before 8.6 do not declare.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// Whether the error text of a `CURLE_SSL_CONNECT_ERROR` says that the connection ended; a TLS error has the same result code.
    private static func isLostConnection(_ detail: String) -> Bool {
        ["Recv failure", "Send failure", "Connection reset", "SSL_ERROR_SYSCALL", "unexpected eof"].contains {
            detail.contains($0)
        }
    }
}
