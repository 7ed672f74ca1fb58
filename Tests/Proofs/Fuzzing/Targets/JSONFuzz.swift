import Foundation
import IdentityKit

/// Checks that accepted JSON round-trips, and that a second parser reads the same value.
enum JSONFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let value = try? JSONValue(parsing: input) else { return }
        let text = value.serialized
        let again = try require(try? JSONValue(parsing: text), "the serialized text cannot be parsed")
        try require(again == value, "the value does not round-trip")
        try require(again.serialized == text, "the serialized form is not stable")
        try require(hasUniqueNames(value), "two members have the same name")
        guard isOrdinary(value) else { return }
        let other: Any
        do {
            other = try JSONSerialization.jsonObject(with: Data(input), options: [.fragmentsAllowed])
        } catch {
            throw FuzzTarget.Finding(description: "Foundation refuses an accepted text: \(error)")
        }
        try require(isSame(value, other), "Foundation reads a different value")
    }

    private static func hasUniqueNames(_ value: JSONValue) -> Bool {
        let members = value.object?.members ?? []
        return Set(members.map { Array($0.name.utf8) }).count == members.count
            && ((value.array ?? []) + members.map(\.value)).allSatisfy(hasUniqueNames)
    }

    /// Whether the second parser can represent the value: it stores numbers as doubles, and its dictionaries merge canonically
    /// equivalent names.
    private static func isOrdinary(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .string: true
        case .number(let number): number.text.utf8.count <= 15 && !number.text.utf8.contains { $0 | 0x20 == 0x65 }
        case .array(let elements): elements.allSatisfy(isOrdinary)
        case .object(let object):
            Set(object.members.map(\.name)).count == object.members.count
                && object.members.allSatisfy { isOrdinary($0.value) }
        }
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch value {
        case .null: other is NSNull
        case .bool(let flag): (other as? NSNumber)?.boolValue == flag
        case .number(let number): (other as? NSNumber)?.doubleValue == number.double
        case .string(let text): (other as? String)?.isIdentical(to: text) ?? false
        case .array(let elements):
            (other as? [Any]).map { $0.count == elements.count && zip(elements, $0).allSatisfy(isSame) } ?? false
        case .object(let object):
            (other as? [String: Any]).map { dictionary in
                dictionary.count == object.members.count
                    && object.members.allSatisfy { name, value in dictionary[name].map { isSame(value, $0) } ?? false }
            } ?? false
        }
    }
}
