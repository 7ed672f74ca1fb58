extension HTTPRequest {
    /// Whether libcurl may send the request again; ``CurlCallbacks`` checks this before each repetition.
    ///
    /// libcurl repeats requests with any method by itself, up to five times, and no option prevents it. It does so when a reused
    /// connection ends without one byte of a response (`Curl_retry_request` in `lib/transfer.c`), when the server refuses an HTTP/2
    /// stream, and when the server demands HTTP/1.1. The server may have processed the first copy, and a refresh token that is sent
    /// twice may end the session.
    var isRepeatable: Bool {
        // A DPoP proof is valid for one request only (RFC 9449 section 11.1).
        (method == .get || method == .head) && !isSentOnce && headers["DPoP"] == nil
    }
}
