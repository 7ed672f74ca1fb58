internal import IdentityKit
internal import ShopifyStorefront

enum ApproachNames {
    static func kind(of descriptor: ProviderDescriptor) -> String {
        switch descriptor.kind {
        case "shopify": "Shopify"
        case "bolt": "Bolt"
        case "bolt-sfcc": "Bolt behind SFCC"
        case "openid": "OpenID provider"
        default: descriptor.kind.printable
        }
    }

    static func title(of descriptor: ProviderDescriptor) -> String {
        let kind = kind(of: descriptor)
        return descriptor.clientType.isEmpty ? kind : "\(kind), \(descriptor.clientType.printable)"
    }

    static func text(for identity: CartIdentity) -> String {
        switch identity {
        case .customer: "signed-in customer"
        case .contact: "contact, guest checkout"
        case .guest: "guest"
        }
    }
}
