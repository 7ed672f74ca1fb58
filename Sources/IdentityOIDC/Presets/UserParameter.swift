internal import IdentityKit

/// The parameter `user` of a callback, in which Sign in with Apple posts the buyer's name at the first login.
///
/// The browser sends the parameter without a signature, so the buyer may have changed the name.
enum UserParameter {
    private static let maximumBytes = 256

    /// Returns the buyer with the name from the callback, marked as not verified, unless the ID token has a name.
    static func completed(_ buyer: Buyer, from callback: LoginCallback) -> Buyer {
        guard buyer.givenName == nil, buyer.familyName == nil, buyer.displayName == nil,
            let text = try? callback.value(of: "user"),
            let name = (try? JSONValue(parsing: text.revealBytes()))?["name"]
        else { return buyer }
        func part(_ member: String) -> String? {
            guard let part = name[member]?.string, (1...maximumBytes).contains(part.utf8.count),
                !part.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return part
        }
        var buyer = buyer
        buyer.givenName = part("firstName")
        buyer.familyName = part("lastName")
        buyer.hasUnverifiedName = buyer.givenName != nil || buyer.familyName != nil
        return buyer
    }
}
