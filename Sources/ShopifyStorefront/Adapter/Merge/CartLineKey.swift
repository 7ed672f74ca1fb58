internal import IdentityKit
internal import ShopifyGraphQL

/// Identifies a line by its variant, selling plan, attributes in any order, and the variant of its parent line.
struct CartLineKey: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ line: CartLineInput) {
        var line = line
        line.quantity = .unset
        if case .set(let attributes) = line.attributes {
            let sorted = attributes.sorted { left, right in
                left.key.isIdentical(to: right.key)
                    ? left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
                    : left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
            }
            line.attributes = sorted.isEmpty ? .unset : .set(sorted)
        }
        bytes = line.graphQLValue.serialized
    }
}

/// For each key, the total quantity of the lines with this key.
struct CartLineCounts: Sendable, Equatable {
    private(set) var quantities: [CartLineKey: Int] = [:]

    init(_ lines: [CartLineInput]) {
        for line in lines {
            let key = CartLineKey(line)
            quantities[key] = Self.sum(quantities[key] ?? 0, line.itemCount)
        }
    }

    subscript(line: CartLineInput) -> Int { quantities[CartLineKey(line)] ?? 0 }

    /// Whether each line's quantity is at least its quantity in `before` plus the quantity that was added.
    func contain(_ lines: [CartLineInput], above before: CartLineCounts) -> Bool {
        let added = CartLineCounts(lines)
        return lines.allSatisfy { self[$0] >= Self.sum(before[$0], added[$0]) }
    }

    /// Returns by how much each quantity has grown since `earlier`; 0 for a quantity that has not grown.
    func gained(since earlier: CartLineCounts) -> CartLineCounts {
        var gained = self
        for (key, quantity) in quantities { gained.quantities[key] = max(0, quantity - (earlier.quantities[key] ?? 0)) }
        return gained
    }

    /// Returns the lines with their quantities reduced by these quantities, without the lines whose quantity becomes 0.
    ///
    /// If several lines have the same key, the quantity of the key is subtracted only once: from the first line, and the rest from the next
    /// lines.
    func subtracted(from lines: [CartLineInput]) -> [CartLineInput] {
        var left = quantities
        return lines.compactMap { line in
            let key = CartLineKey(line)
            let taken = min(left[key] ?? 0, max(0, line.itemCount))
            left[key] = (left[key] ?? 0) - taken
            return line.subtracting(taken)
        }
    }

    /// Counts a negative quantity as 0, and returns `Int.max` instead of an overflow, because an app can add a line with any quantity.
    private static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, isTooLarge) = max(0, first).addingReportingOverflow(max(0, second))
        return isTooLarge ? .max : sum
    }
}

extension CartLineInput {
    init(_ line: CartLine) {
        self.init(
            merchandiseID: line.merchandiseID,
            quantity: line.quantity,
            attributes: line.attributes,
            sellingPlanID: line.sellingPlanID,
            parentMerchandiseID: line.parentMerchandiseID
        )
    }

    func subtracting(_ quantity: Int) -> CartLineInput? {
        var rest = self
        rest.quantity = .set(itemCount - quantity)
        return rest.itemCount > 0 ? rest : nil
    }

    init?(_ value: JSONValue) {
        guard let id = value["merchandiseId"]?.string, let quantity = value["quantity"]?.number?.integer else {
            return nil
        }
        self.init(
            merchandiseID: id,
            quantity: quantity,
            attributes: (value["attributes"]?.array ?? []).map {
                CartAttribute(key: $0["key"]?.string ?? "", value: $0["value"]?.string ?? "")
            },
            sellingPlanID: value["sellingPlanId"]?.string,
            parentMerchandiseID: value["parent"]?["merchandiseId"]?.string
        )
    }

    static func json(_ lines: [CartLineInput]) -> JSONValue {
        .array(
            lines.map { line in
                var line = line
                line.quantity = .set(line.itemCount)
                return line.graphQLValue
            }
        )
    }
}

extension Array {
    func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
