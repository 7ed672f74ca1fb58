internal import IdentitySandbox

struct ProductPicture: Sendable {
    static let folder = "/files/"

    private static let colours = [
        "Blue": "#3d6fd6", "Green": "#3b8f63", "Red": "#cc4b4b", "Black": "#32363f", "Grey": "#8b92a1",
        "Sand": "#d3b486", "White": "#f4f1ea",
    ]

    /// Returns a picture's file name without extension: the product's handle and, for a variant with a known colour, the colour.
    static func name(
        of product: SandboxStorefrontConfiguration.Product,
        _ variant: SandboxStorefrontConfiguration.Variant?
    ) -> String {
        let handle = SandboxStorefront.handle(product.title)
        guard let variant, let position = product.options.firstIndex(of: "Colour"),
            let colour = variant.values.dropFirst(position).first, colours[colour] != nil
        else { return handle }
        return handle + "_" + colour.lowercased()
    }

    private let product: SandboxStorefrontConfiguration.Product
    private let colour: String

    init?(path: String, of shop: SandboxStorefront) {
        guard path.hasPrefix(Self.folder), path.hasSuffix(".svg") else { return nil }
        let parts = path.dropFirst(Self.folder.count).dropLast(4).split(separator: "_")
        let handle = parts.first.map(String.init)
        let found = shop.productTitles.first { handle == SandboxStorefront.handle($0) }
        guard let title = found else { return nil }
        product = shop.facts(of: title)
        let named = parts.dropFirst().first.map(String.init)
        let own = shop.configuration.variants.first { $0.product == title }?.values ?? []
        let name =
            named.flatMap { named in Self.colours.keys.first { $0.lowercased() == named } }
            ?? own.first { Self.colours[$0] != nil }
        // A product without colours gets a colour that depends only on its title.
        let spare = ["#8661c1", "#c2703d", "#2f8f9d", "#b0517e", "#5b7f2b"]
        let sum = title.utf8.reduce(0) { $0 + Int($1) }
        colour = name.flatMap { Self.colours[$0] } ?? spare[sum % spare.count]
    }

    var response: SandboxResponse {
        SandboxResponse(
            status: 200,
            headers: [
                ("Content-Type", "image/svg+xml"), ("Cache-Control", "public, max-age=3600"),
                ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'"),
            ],
            body: Array(svg.utf8)
        )
    }

    private var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" viewBox="0 0 400 300" role="img">
        <rect width="400" height="300" fill="#eceef2"/>
        <circle cx="200" cy="150" r="124" fill="#fafbfc"/>
        <ellipse cx="200" cy="245" rx="92" ry="10" fill="#d5d9e0"/>
        <g fill="\(colour)" stroke="#20242c" stroke-width="4" stroke-linejoin="round" stroke-linecap="round">
        \(Self.drawings[product.type] ?? Self.card)
        </g>
        </svg>

        """
    }
}
