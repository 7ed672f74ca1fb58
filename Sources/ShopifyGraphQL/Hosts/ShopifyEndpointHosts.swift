package import IdentityKit

/// The hosts that a shop's discovery documents may name.
package enum ShopifyEndpointHosts {
    /// Whether the configuration member `endpointHosts` is absent, or is a list of one or more host names.
    package static func isValid(_ given: [String]?) -> Bool {
        guard let given else { return true }
        return !given.isEmpty && given.allSatisfy { AllowedHosts.host($0) != nil }
    }

    /// The hosts that discovered endpoints may have: by default `shopify.com`, `shop` with its subdomains, and `configured`.
    ///
    /// `given` is the app's own list and replaces the default list. `configured` contains the hosts of configured endpoints.
    package static func list(_ given: [String]?, shop: String?, configured: [String] = []) -> AllowedHosts {
        let member = "endpointHosts"
        if let given { return AllowedHosts(given.compactMap { AllowedHosts.host($0) }, member: member) }
        return AllowedHosts(["shopify.com"] + configured, andBelow: [shop].compactMap(\.self), member: member)
    }
}
