extension SandboxStorefrontConfiguration {
    /// A shop with two dozen products: options, collections, tags, sold-out variants, and a picture of each.
    ///
    /// It contains the variants 1 to 3 of a plain configuration.
    public static var wholeShop: SandboxStorefrontConfiguration {
        var configuration = SandboxStorefrontConfiguration()
        configuration.products = WholeShop.items.map(\.product)
        configuration.variants = WholeShop.items.enumerated().flatMap { $0.element.variants(number: $0.offset + 1) }
        return configuration
    }
}

/// The products of ``SandboxStorefrontConfiguration/wholeShop``.
private enum WholeShop {
    struct Item {
        let product: SandboxStorefrontConfiguration.Product
        let price: Int
        /// The values of each option.
        let values: [[String]]
        /// The stock of variants, by their titles; any number of the others.
        let stock: [String: Int]

        init(
            _ title: String,
            _ type: String,
            _ price: Int,
            _ options: KeyValuePairs<String, [String]> = ["Size": ["One size"]],
            stock: [String: Int] = [:],
            tags: [String] = [],
            in collections: String...,
            text: String
        ) {
            product = SandboxStorefrontConfiguration.Product(
                title: title,
                type: type,
                text: text,
                tags: tags,
                collections: collections,
                options: options.map(\.key)
            )
            self.price = price
            values = options.map(\.value)
            self.stock = stock
        }

        func variants(number: Int) -> [SandboxStorefrontConfiguration.Variant] {
            let combinations = values.reduce([[]]) { lists, values in
                lists.flatMap { list in values.map { list + [$0] } }
            }
            return combinations.enumerated().map { position, values in
                let title = values.joined(separator: " / ")
                let id = kept["\(product.title), \(title)"] ?? number * 100 + position
                return SandboxStorefrontConfiguration.Variant(
                    id: "gid://shopify/ProductVariant/\(id)",
                    product: product.title,
                    title: title,
                    price: price,
                    stock: stock[title],
                    values: values
                )
            }
        }
    }

    /// The variants that a plain configuration has, too.
    private static let kept = [
        "Analytical Mug, Blue": 1, "Difference T-Shirt, M / Blue": 2, "Punched Card, Last ones": 3,
    ]

    private static let sizes = ["S", "M", "L", "XL"]

    static let items = [
        Item(
            "Analytical Mug",
            "Mug",
            1250,
            ["Colour": ["Blue", "Green", "Red"]],
            stock: ["Red": 0],
            tags: ["kitchen", "gift"],
            in: "Kitchen",
            "Gifts",
            text: "Stoneware for 350 ml of whatever keeps the engine running. Goes into the dishwasher."
        ),
        Item(
            "Difference T-Shirt",
            "Shirt",
            2400,
            ["Size": sizes, "Colour": ["Blue", "Black"]],
            stock: ["L / Black": 0, "XL / Black": 0, "S / Blue": 4],
            tags: ["organic", "new"],
            in: "Clothing",
            text: "Soft organic cotton, printed with the gears of the difference engine."
        ),
        Item(
            "Punched Card",
            "Stationery",
            199,
            ["Edition": ["Last ones"]],
            stock: ["Last ones": 3],
            tags: ["gift"],
            in: "Stationery",
            "Gifts",
            text: "A real card with a real hole in it. There are three left."
        ),
        Item(
            "Babbage Hoodie",
            "Hoodie",
            5400,
            ["Size": sizes, "Colour": ["Grey", "Green"]],
            stock: ["XL / Grey": 0, "XL / Green": 0],
            tags: ["organic", "winter"],
            in: "Clothing",
            text: "Heavy fleece with a hood and a pocket that fits a slide rule."
        ),
        Item(
            "Loop Scarf",
            "Scarf",
            2900,
            ["Colour": ["Red", "Grey"]],
            tags: ["winter", "gift"],
            in: "Clothing",
            "Gifts",
            text: "Merino wool without beginning and without end."
        ),
        Item(
            "Pointer Cap",
            "Cap",
            1900,
            ["Colour": ["Black", "Sand"]],
            stock: ["Sand": 2],
            tags: ["new"],
            in: "Clothing",
            text: "Points where you look. One size, with a strap to adjust it."
        ),
        Item(
            "Stack of Socks",
            "Socks",
            1500,
            ["Size": ["39–42", "43–46"]],
            tags: ["organic", "gift"],
            in: "Clothing",
            "Gifts",
            text: "Three pairs. The last pair put in is the first pair out."
        ),
        Item(
            "Null Island Poster",
            "Poster",
            1800,
            ["Format": ["A3", "A2"]],
            tags: ["new"],
            in: "Wall",
            text: "The most visited place on earth that is not there. Matt paper, 200 g."
        ),
        Item(
            "Jacquard Print",
            "Poster",
            2600,
            ["Format": ["A3", "A2"]],
            stock: ["A2": 0],
            tags: ["gift"],
            in: "Wall",
            "Gifts",
            text: "A pattern that a loom read from cards in 1804, as a fine art print."
        ),
        Item(
            "Big Endian Clock",
            "Clock",
            4200,
            ["Colour": ["White", "Black"]],
            tags: ["new"],
            in: "Wall",
            "Desk",
            text: "Shows the hours first, as it should be. Runs silently on one AA cell."
        ),
        Item(
            "Pen with Two Ends",
            "Pen",
            690,
            ["Colour": ["Black", "Blue", "Red"]],
            tags: ["gift"],
            in: "Stationery",
            "Desk",
            text: "Writes at one end and erases at the other. Never at the same time."
        ),
        Item(
            "Ruled Notebook",
            "Notebook",
            980,
            ["Paper": ["Ruled", "Dotted", "Squared"]],
            stock: ["Squared": 0],
            tags: ["organic"],
            in: "Stationery",
            "Desk",
            text: "160 pages of recycled paper that lie flat."
        ),
        Item(
            "Memory Book",
            "Notebook",
            1650,
            ["Colour": ["Green", "Red"]],
            in: "Stationery",
            "Gifts",
            text: "Hard cover, numbered pages and an index, so that nothing leaks."
        ),
        Item(
            "Sticker Set",
            "Stationery",
            450,
            ["Edition": ["Matt", "Glossy"]],
            tags: ["gift", "new"],
            in: "Stationery",
            text: "Ten stickers for lids and boxes. Come off without a trace."
        ),
        Item(
            "Ada Desk Lamp",
            "Lamp",
            6900,
            ["Colour": ["Black", "Sand"]],
            stock: ["Sand": 0],
            in: "Desk",
            text: "Warm light, three joints, and a switch that does what it says."
        ),
        Item(
            "Kernel Popcorn Bowl",
            "Bowl",
            2100,
            ["Colour": ["Blue", "Sand"]],
            tags: ["kitchen"],
            in: "Kitchen",
            text: "Two litres of glazed stoneware. Panics never."
        ),
        Item(
            "Teapot 418",
            "Teapot",
            3900,
            ["Colour": ["White", "Blue"]],
            tags: ["kitchen", "gift"],
            in: "Kitchen",
            "Gifts",
            text: "Short and stout. Refuses to brew coffee."
        ),
        Item(
            "Coffee of the House",
            "Coffee",
            1290,
            ["Weight": ["250 g", "1 kg"], "Grind": ["Beans", "Filter"]],
            stock: ["1 kg / Filter": 0],
            tags: ["kitchen", "organic"],
            in: "Kitchen",
            text: "Medium roast. Contains no Java."
        ),
        Item(
            "Byte Chopsticks",
            "Cutlery",
            890,
            ["Set": ["One pair", "Eight pairs"]],
            tags: ["kitchen"],
            in: "Kitchen",
            text: "Beech, oiled. Eight pairs make a set."
        ),
        Item(
            "Turing Puzzle",
            "Puzzle",
            2200,
            ["Pieces": ["500", "1000"]],
            tags: ["gift"],
            in: "Games",
            "Gifts",
            text: "Nobody knows in advance whether you will finish."
        ),
        Item(
            "Bit Dice",
            "Dice",
            750,
            ["Colour": ["Red", "Black", "Green"]],
            tags: ["new", "gift"],
            in: "Games",
            text: "Six sides with zeros and ones. As fair as they come."
        ),
        Item(
            "Queue Domino",
            "Puzzle",
            1700,
            ["Material": ["Wood"]],
            stock: ["Wood": 0],
            tags: ["gift"],
            in: "Games",
            text: "Fifty-five stones in a box. First in, first out of stock."
        ),
        Item(
            "Carry Bag",
            "Bag",
            1400,
            ["Colour": ["Sand", "Black", "Green"]],
            tags: ["organic"],
            in: "Clothing",
            "Gifts",
            text: "Canvas with long handles. Takes the one that is left over."
        ),
        Item(
            "Gift Box",
            "Box",
            500,
            ["Size": ["Small", "Large"]],
            tags: ["gift"],
            in: "Gifts",
            text: "Wraps anything that fits, with a ribbon and a card."
        ),
    ]
}
