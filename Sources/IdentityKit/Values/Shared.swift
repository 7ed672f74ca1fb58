/// A value that is copied as one reference, so that copies of a struct with many members are cheap.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
