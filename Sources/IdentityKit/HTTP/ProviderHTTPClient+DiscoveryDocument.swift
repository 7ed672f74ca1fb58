package import IdentityHTTP

extension ProviderHTTPClient {
    /// Fetches a discovery document, and follows redirects (301, 302, 307, 308) to absolute secure URLs; returns any other response.
    ///
    /// A redirect may lead to the host of `start` and to `hosts` (nil permits any host); the method throws for another host. After a
    /// redirect, `headers` are sent only to the origin of `start` and to `hosts`, because they may contain a secret.
    ///
    /// `party` begins the error messages. `setting` completes the hint "Set …" after too many redirects. If `allowedRedirects` is 0, the
    /// method returns a redirect as the response.
    package func document(
        at start: HTTPURL,
        following allowedRedirects: Int,
        headers: [(name: String, value: String)],
        within hosts: AllowedHosts?,
        asking party: String,
        setting: String
    ) async throws -> HTTPResponse {
        var url = start
        for _ in 0...max(allowedRedirects, 0) {
            let isTrusted = url.origin.isIdentical(to: start.origin) || hosts?.accepts(url) ?? false
            let response = try await send(
                .get,
                url,
                headers: try Self.headers(isTrusted ? headers : []),
                asking: party
            )
            guard allowedRedirects > 0, [301, 302, 307, 308].contains(response.status),
                let location = response.headers["Location"], let next = try? HTTPURL(location),
                next.isSecure(orLoopback: allowsLoopbackHTTP)
            else { return response }
            if let hosts, !next.host.isIdentical(to: start.host), !hosts.accepts(next) {
                throw hosts.refusal(of: next, "\(party) redirects to", status: response.status)
            }
            url = next
        }
        throw IdentityError(
            .rejected,
            .discoveryFailed,
            "\(party) redirects more than \(allowedRedirects) times.",
            hint: "Set \(setting). If the redirects form a loop, ask the provider to correct the redirects."
        )
    }
}
