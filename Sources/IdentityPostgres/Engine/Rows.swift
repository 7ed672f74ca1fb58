#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityStoreKit

/// The result of a statement.
///
/// `@unchecked Sendable`: a finished result is only read, which libpq allows on any thread, until `deinit` frees it.
@safe
final class Rows: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQclear(pointer)
    }

    var count: Int { unsafe Int(PQntuples(pointer)) }
    var isEmpty: Bool { count == 0 }

    /// How many rows an INSERT, UPDATE or DELETE changed.
    var changed: Int {
        guard let text = unsafe PQcmdTuples(pointer) else { return 0 }
        return unsafe Int(String(cString: text)) ?? 0
    }

    var first: Row? { isEmpty ? nil : Row(rows: self, index: 0) }

    var all: [Row] { (0..<count).map { Row(rows: self, index: Int32($0)) } }

    fileprivate func isNull(_ row: Int32, _ column: Int32) -> Bool {
        unsafe PQgetisnull(pointer, row, column) == 1
    }

    fileprivate func bytes(_ row: Int32, _ column: Int32) -> [UInt8] {
        guard unsafe column < PQnfields(pointer), let start = unsafe PQgetvalue(pointer, row, column) else { return [] }
        let count = unsafe Int(PQgetlength(pointer, row, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// One row of a result; the caller must read each column with the type that the statement returns.
struct Row: ColumnReading, Sendable {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    func isNull(_ column: Int32) -> Bool { rows.isNull(index, column) }
    func bytes(_ column: Int32) -> [UInt8] { rows.bytes(index, column) }
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    func flag(_ column: Int32) -> Bool { bytes(column).first == 1 }
    func real(_ column: Int32) -> Double { Double(bitPattern: word(column)) }
    func integer(_ column: Int32) -> Int64 { Int64(bitPattern: word(column)) }

    private func word(_ column: Int32) -> UInt64 {
        let bytes = bytes(column)
        // An int4 column has four bytes and is sign-extended. No statement returns a float4, or a number longer than eight bytes.
        if bytes.count == 4 { return UInt64(bitPattern: Int64(Int32(bitPattern: UInt32(fold(bytes))))) }
        return fold(bytes.prefix(8))
    }

    private func fold(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
#endif
