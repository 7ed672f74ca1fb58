public import IdentityHTTP

/// The hosts that a provider's discovery documents may name, and to which the URL of a discovery document may redirect.
///
/// A discovery document decides where the SDK sends codes, tokens and the client's secret. If the provider's hosts are known, this list
/// prevents a wrong or manipulated document from directing these secrets to other hosts.
public struct AllowedHosts: Sendable {
    private let hosts: [String]
    private let domains: [String]
    private let member: String

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - hosts: Hosts in lower case, as `HTTPURL.host` returns them.
    ///   - domains: Hosts that are accepted together with all their subdomains.
    ///   - member: The name of the configuration member that replaces this list; an error's hint contains the name.
    public init(_ hosts: [String], andBelow domains: [String] = [], member: String) {
        self.hosts = hosts
        self.domains = domains
        self.member = member
    }

    /// The host in lower case, if the text is only a host name or an IP address; nil otherwise.
    public static func host(_ text: String) -> String? {
        guard let url = try? HTTPURL("https://" + text) else { return nil }
        let host = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
        return url.host.isIdentical(to: host) ? host : nil
    }

    /// Whether the URL's host is in the list.
    public func accepts(_ url: HTTPURL) -> Bool {
        (hosts + domains).contains { $0.isIdentical(to: url.host) } || domains.contains { url.hasHost(below: $0) }
    }

    package var summary: String {
        (hosts + domains.map { "\($0) and its subdomains" }).joined(separator: ", ")
    }

    /// The error for a URL whose host is not in the list.
    ///
    /// `problem` begins the message, before "a host that is not in the list …". `status` is the status of the response with this URL.
    package func refusal(of url: HTTPURL, _ problem: String, status: Int = 200) -> IdentityError {
        IdentityError(
            .rejected,
            .discoveryFailed,
            "\(problem) a host that is not in the list of accepted hosts.",
            hint: """
                Compare the accepted hosts (\(summary)) with the refused host in the error's providerResponse.error. If the refused host \
                belongs to the provider, such as the account domain of a shop, set \(member) to all hosts of the provider: \
                \(member) replaces the default list. Otherwise ask the provider why its response names this host. The SDK did not use \
                the refused URL.
                """,
            providerResponse: IdentityError.ProviderResponse(error: url.host, status: status)
        )
    }
}
