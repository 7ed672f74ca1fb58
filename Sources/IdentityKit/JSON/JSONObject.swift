/// A JSON object, which keeps the order of its members and compares names by bytes.
public struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// The members in order.
    public private(set) var members: [(name: String, value: JSONValue)] = []

    /// Creates an object without members.
    public init() {}

    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// Creates an object with the given members; a later member replaces an earlier one of the same name.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a member; nil if the object has no such member.
    ///
    /// Setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    func contains(_ name: String) -> Bool { index(of: name) != nil }

    // A loop over a buffer's indices is used, because `firstIndex(where:)` and `members[index]` would copy each member.
    private func index(of name: String) -> Int? {
        unsafe members.withUnsafeBufferPointer { members in
            for index in 0..<members.count where unsafe members[index].name.isIdentical(to: name) { return index }
            return nil
        }
    }

    /// Appends a member whose name is known to be new, without a search for the name; nil is not appended.
    package mutating func append(_ name: String, _ value: JSONValue?) {
        guard let value else { return }
        if members.capacity == 0 { members.reserveCapacity(8) }
        members.append((name, value))
    }

    /// Equal when both have the same members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.members.count == right.members.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }
}
