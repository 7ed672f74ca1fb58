package import IdentityHTTP
package import IdentityKit

/// The hosts that a provider's documents may name, and to which the address of such a document may redirect.
///
/// A document decides where codes, tokens and the client's secret are sent. Where a provider's hosts are known, no document may
/// send them to another host.
package struct EndpointHosts: Sendable {
    private let hosts: [String]
    private let domains: [String]
    private let member: String

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - hosts: Hosts in lower case, as `HTTPURL.host` gives them.
    ///   - domains: Hosts whose subdomains are accepted too.
    ///   - member: The configuration member that replaces the list, for the hint of an error.
    package init(_ hosts: [String], andBelow domains: [String] = [], member: String) {
        self.hosts = hosts
        self.domains = domains
        self.member = member
    }

    /// The host of a text that is a host name or an IP address and nothing else; nil otherwise.
    package static func host(_ text: String) -> String? {
        guard let url = try? HTTPURL("https://" + text) else { return nil }
        let host = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
        return url.host.isIdentical(to: host) ? host : nil
    }

    package func accepts(_ url: HTTPURL) -> Bool {
        hosts.contains { $0.isIdentical(to: url.host) }
            || domains.contains { domain in
                let suffix = Array(("." + domain).utf8)
                return domain.isIdentical(to: url.host)
                    || url.host.utf8.count > suffix.count && url.host.utf8.suffix(suffix.count).elementsEqual(suffix)
            }
    }

    /// The list in words.
    package var summary: String {
        (hosts + domains.map { "\($0) and its subdomains" }).joined(separator: ", ")
    }

    /// The error for a host that is not in the list.
    ///
    /// - Parameters:
    ///   - url: What was named; its host goes into the provider answer.
    ///   - problem: Who named it and where, as the beginning of a sentence.
    package func refusal(of url: HTTPURL, _ problem: String, status: Int = 200) -> IdentityError {
        IdentityError(
            .rejected,
            .discoveryFailed,
            "\(problem) a host that is not in the list of accepted hosts.",
            hint:
                "Nothing was sent there. Accepted: \(summary). The host is in the error's provider answer and in the "
                + "document itself. If the shop uses it, for example as its account domain, write the whole list into \(member).",
            providerAnswer: IdentityError.ProviderAnswer(error: url.host, status: status)
        )
    }
}
