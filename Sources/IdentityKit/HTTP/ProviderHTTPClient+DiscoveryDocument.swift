package import IdentityHTTP

extension ProviderHTTPClient {
    /// Fetches a discovery document.
    ///
    /// - Parameters:
    ///   - start: The URL of the document.
    ///   - allowedRedirects: How many redirects are followed. A redirect is followed to an https URL only, or to a loopback address if the
    ///     client permits plain http there.
    ///   - headers: Headers in addition to `Accept`. After a redirect they are sent only to the origin of `start` and to `hosts`, because
    ///     they may contain a secret.
    ///   - hosts: The hosts to which a redirect may lead, in addition to the host of `start`; nil permits any host.
    ///   - party: The document's name, with which error messages begin.
    ///   - setting: What to set in the configuration after too many redirects: the end of the sentence "Set …".
    /// - Returns: The response, with any status. A redirect is not followed but returned in three cases: no redirects are allowed, its URL
    ///   is missing, insecure or invalid, or its status is not 301, 302, 307 or 308.
    /// - Throws: `IdentityError` when a request cannot be sent or gets no response, when a redirect leads to a host that is not permitted,
    ///   and when there are too many redirects.
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
