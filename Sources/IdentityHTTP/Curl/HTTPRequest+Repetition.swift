extension HTTPRequest {
    /// Whether libcurl may send the request again; ``CurlCallbacks`` asks before each attempt.
    ///
    /// libcurl sends a request with any method again by itself, up to five times: when a used connection ends without one byte of
    /// response (`Curl_retry_request` in `lib/transfer.c`), when the server refuses an HTTP/2 stream, and when it demands HTTP/1.1. The
    /// server may have processed the first copy, and a refresh token that is sent twice ends the session. libcurl has no option to
    /// prevent this. A fresh connection for each request would prevent it too, at the cost of a handshake.
    var isRepeatable: Bool {
        // A DPoP proof is valid for one request only (RFC 9449 section 11.1).
        (method == .get || method == .head) && !isSentOnce && headers["DPoP"] == nil
    }
}
