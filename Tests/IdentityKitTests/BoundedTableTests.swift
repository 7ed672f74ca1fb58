import IdentityKit
import Testing

@Suite("Bounded tables")
struct BoundedTableTests {
    @Test("a full table evicts expired entries first")
    func expired() {
        var table = BoundedTable<Int, Int>(maximum: 8)
        for key in 0..<8 { table.insert(key, for: key) }
        table.insert(8, for: 8) { $0 < 4 }
        #expect((0..<4).allSatisfy { table[$0] == nil })
        #expect((4..<9).allSatisfy { table[$0] == $0 })
    }

    @Test("a full table without expired entries evicts an eighth of its entries, and never exceeds its maximum")
    func eviction() {
        var table = BoundedTable<Int, Int>(maximum: 16)
        for key in 0..<1_000 {
            table.insert(key, for: key)
            #expect(table[key] == key)
            #expect((14...16).contains((0...key).count { table[$0] != nil }) || key < 14)
        }
    }

    @Test("replacing an entry of a full table evicts nothing")
    func replacement() {
        var table = BoundedTable<Int, Int>(maximum: 4)
        for key in 0..<4 { table.insert(key, for: key) }
        table.insert(10, for: 0) { _ in true }
        #expect(table[0] == 10)
        #expect((1..<4).allSatisfy { table[$0] == $0 })
        table.remove(0)
        #expect(table[0] == nil)
    }

    @Test("a full table with few expired entries also evicts others, so that the next insertions need no search")
    func fewExpired() {
        var table = BoundedTable<Int, Int>(maximum: 16)
        for key in 0..<16 { table.insert(key, for: key) }
        table.insert(16, for: 16) { $0 == 0 }
        #expect((0..<17).count { table[$0] != nil } == 15)
    }
}
