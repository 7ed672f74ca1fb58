package import IdentityHTTP

/// A shop's domain from the configuration: a host name without user, path or query.
///
/// The SDK sends tokens to this host. Only a loopback address may have a port.
package struct ShopDomain: Sendable {
    /// The domain in lower case; a loopback address keeps its port.
    package let name: String
    /// The root URL: https, or http for a loopback address.
    package let url: HTTPURL

    /// Reads a domain; nil unless the text is a host name with a dot.
    ///
    /// With `allowsLoopbackHTTP`, the text may also be a loopback address, with or without a port.
    package init?(_ text: String, allowsLoopbackHTTP: Bool = false) {
        name = String(decoding: text.utf8.map(ASCII.lowercased), as: UTF8.self)
        // A name without a dot would be looked up in the machine's own network. A colon belongs to a port or an IPv6 address.
        let isName = name.contains(".") && !name.contains(":") && NumericAddress.parse(name) == nil
        guard !name.contains("/"), !name.contains("?"), let https = try? HTTPURL("https://" + name),
            isName || allowsLoopbackHTTP && https.isLoopback,
            let url = isName ? https : try? HTTPURL("http://" + name)
        else { return nil }
        self.url = url
    }
}
