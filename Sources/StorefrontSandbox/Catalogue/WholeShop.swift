extension SandboxStorefrontConfiguration {
    /// A shop with two dozen products that have pictures, options, collections and tags; some variants are sold out.
    ///
    /// This shop also has the variant ids of the default configuration.
    public static var wholeShop: SandboxStorefrontConfiguration {
        var configuration = SandboxStorefrontConfiguration()
        configuration.products = WholeShop.items.map(\.product)
        configuration.variants = WholeShop.items.enumerated().flatMap { $0.element.variants(number: $0.offset + 1) }
        return configuration
    }
}

private enum WholeShop {
    struct Item {
        var product: SandboxStorefrontConfiguration.Product
        let price: Int
        let values: [[String]]
        /// The stock by variant title; a variant that is not listed has no limit.
        let stock: [String: Int]

        init(
            _ title: String,
            _ type: String,
            _ price: Int,
            _ options: KeyValuePairs<String, [String]>,
            stock: [String: Int] = [:]
        ) {
            product = SandboxStorefrontConfiguration.Product(title: title, type: type, options: options.map(\.key))
            self.price = price
            values = options.map(\.value)
            self.stock = stock
        }

        func described(_ text: String) -> Item { changed { $0.text = text } }
        func tagged(_ tags: String...) -> Item { changed { $0.tags = tags } }
        func collected(_ collections: String...) -> Item { changed { $0.collections = collections } }

        private func changed(_ change: (inout SandboxStorefrontConfiguration.Product) -> Void) -> Item {
            var item = self
            change(&item.product)
            return item
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

    /// The numbers in the ids of the default configuration's variants, by product title and variant title.
    private static let kept = [
        "Analytical Mug, Blue": 1, "Difference T-Shirt, M / Blue": 2, "Punched Card, Last ones": 3,
    ]

    private static let sizes = ["S", "M", "L", "XL"]

    static let items: [Item] = [
        Item("Analytical Mug", "Mug", 1250, ["Colour": ["Blue", "Green", "Red"]], stock: ["Red": 0])
            .described("Stoneware for 350 ml of whatever keeps the engine running. Goes into the dishwasher.")
            .tagged("kitchen", "gift").collected("Kitchen", "Gifts"),
        Item(
            "Difference T-Shirt",
            "Shirt",
            2400,
            ["Size": sizes, "Colour": ["Blue", "Black"]],
            stock: ["L / Black": 0, "XL / Black": 0, "S / Blue": 4]
        )
        .described("Soft organic cotton, printed with the gears of the difference engine.")
        .tagged("organic", "new").collected("Clothing"),
        Item("Punched Card", "Stationery", 199, ["Edition": ["Last ones"]], stock: ["Last ones": 3])
            .described("A real card with a real hole in it. There are three left.")
            .tagged("gift").collected("Stationery", "Gifts"),
        Item(
            "Babbage Hoodie",
            "Hoodie",
            5400,
            ["Size": sizes, "Colour": ["Grey", "Green"]],
            stock: ["XL / Grey": 0, "XL / Green": 0]
        )
        .described("Heavy fleece with a hood and a pocket that fits a slide rule.")
        .tagged("organic", "winter").collected("Clothing"),
        Item("Loop Scarf", "Scarf", 2900, ["Colour": ["Red", "Grey"]])
            .described("Merino wool without beginning and without end.")
            .tagged("winter", "gift").collected("Clothing", "Gifts"),
        Item("Pointer Cap", "Cap", 1900, ["Colour": ["Black", "Sand"]], stock: ["Sand": 2])
            .described("Points where you look. One size, with a strap to adjust it.")
            .tagged("new").collected("Clothing"),
        Item("Stack of Socks", "Socks", 1500, ["Size": ["39–42", "43–46"]])
            .described("Three pairs. The last pair put in is the first pair out.")
            .tagged("organic", "gift").collected("Clothing", "Gifts"),
        Item("Null Island Poster", "Poster", 1800, ["Format": ["A3", "A2"]])
            .described("The most visited place on earth that is not there. Matt paper, 200 g.")
            .tagged("new").collected("Wall"),
        Item("Jacquard Print", "Poster", 2600, ["Format": ["A3", "A2"]], stock: ["A2": 0])
            .described("A pattern that a loom read from cards in 1804, as a fine art print.")
            .tagged("gift").collected("Wall", "Gifts"),
        Item("Big Endian Clock", "Clock", 4200, ["Colour": ["White", "Black"]])
            .described("Shows the hours first, as it should be. Runs silently on one AA cell.")
            .tagged("new").collected("Wall", "Desk"),
        Item("Pen with Two Ends", "Pen", 690, ["Colour": ["Black", "Blue", "Red"]])
            .described("Writes at one end and erases at the other. Never at the same time.")
            .tagged("gift").collected("Stationery", "Desk"),
        Item("Ruled Notebook", "Notebook", 980, ["Paper": ["Ruled", "Dotted", "Squared"]], stock: ["Squared": 0])
            .described("160 pages of recycled paper that lie flat.")
            .tagged("organic").collected("Stationery", "Desk"),
        Item("Memory Book", "Notebook", 1650, ["Colour": ["Green", "Red"]])
            .described("Hard cover, numbered pages and an index, so that nothing leaks.")
            .collected("Stationery", "Gifts"),
        Item("Sticker Set", "Stationery", 450, ["Edition": ["Matt", "Glossy"]])
            .described("Ten stickers for lids and boxes. Come off without a trace.")
            .tagged("gift", "new").collected("Stationery"),
        Item("Ada Desk Lamp", "Lamp", 6900, ["Colour": ["Black", "Sand"]], stock: ["Sand": 0])
            .described("Warm light, three joints, and a switch that does what it says.")
            .collected("Desk"),
        Item("Kernel Popcorn Bowl", "Bowl", 2100, ["Colour": ["Blue", "Sand"]])
            .described("Two litres of glazed stoneware. Panics never.")
            .tagged("kitchen").collected("Kitchen"),
        Item("Teapot 418", "Teapot", 3900, ["Colour": ["White", "Blue"]])
            .described("Short and stout. Refuses to brew coffee.")
            .tagged("kitchen", "gift").collected("Kitchen", "Gifts"),
        Item(
            "Coffee of the House",
            "Coffee",
            1290,
            ["Weight": ["250 g", "1 kg"], "Grind": ["Beans", "Filter"]],
            stock: ["1 kg / Filter": 0]
        )
        .described("Medium roast. Contains no Java.")
        .tagged("kitchen", "organic").collected("Kitchen"),
        Item("Byte Chopsticks", "Cutlery", 890, ["Set": ["One pair", "Eight pairs"]])
            .described("Beech, oiled. Eight pairs make a set.")
            .tagged("kitchen").collected("Kitchen"),
        Item("Turing Puzzle", "Puzzle", 2200, ["Pieces": ["500", "1000"]])
            .described("Nobody knows in advance whether you will finish.")
            .tagged("gift").collected("Games", "Gifts"),
        Item("Bit Dice", "Dice", 750, ["Colour": ["Red", "Black", "Green"]])
            .described("Six sides with zeros and ones. As fair as they come.")
            .tagged("new", "gift").collected("Games"),
        Item("Queue Domino", "Puzzle", 1700, ["Material": ["Wood"]], stock: ["Wood": 0])
            .described("Fifty-five stones in a box. First in, first out of stock.")
            .tagged("gift").collected("Games"),
        Item("Carry Bag", "Bag", 1400, ["Colour": ["Sand", "Black", "Green"]])
            .described("Canvas with long handles. Takes the one that is left over.")
            .tagged("organic").collected("Clothing", "Gifts"),
        Item("Gift Box", "Box", 500, ["Size": ["Small", "Large"]])
            .described("Wraps anything that fits, with a ribbon and a card.")
            .tagged("gift").collected("Gifts"),
    ]
}
