/// A value that its copies share, so that a struct with many members is copied and retained like one reference.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
