/// Private keys that are used in these tests only.
enum PrivateKeys {
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCiKugAHuIA31NQ
        JZZrTDZQVTk/GQZVOMq85mjM7PpTnwkQKge4mtlBVexREjiNHDj90mlKwRUIamlC
        Nq9xI2not1bZg1yH8HLw6FTv0pBMkdKA7XLC41izLfolspLUkSx7qGvFy6LYqGBT
        sB4JyxVz/wP5vEbNkOKakgAGSeDxjjwsOj8+G2Bb/4lrQowVrnS5L5Ea2tjKfqM0
        I9AA737F1npLoqTwsnfHrdsND/4DAAvhjx4zLgc/x4q7BbZjpV140zar1P+LXGMt
        UPGXdux3kIE792akCrKI2uH8TKMgnzPHzlfF5F96bdWlLkQo4IiuksGFmTppR65Q
        ZVLROY4BAgMBAAECggEAB5JNBXdrqiqDKWxt2Nnktcy62OQ2WFuH1LjFxx6f4/Ba
        lBmARYleUCd+unzJLOZ2zzwIHDxGWv+b5UJoH9ZNUzcfLBXu565tcWvJjm50fAy5
        aTlc6LZEbY49ng23vwq9qtLe4EvtESRQZgvkpSSpHmK3WO1GWYH0oI6lR2Xi5ahB
        PiAwLsBq/jf/h/Bw0ehA+PL2Nr1lT5Cl/J3ngTlWGujeKRsCzV/lr+LyeC7Da4Ct
        bEZJ2dfL9aJN9ZBoXV2Y/bGvocDeJCGzGQncv43VZbGGX384jd4Rf84VYPfrdeO+
        o9kf7RpbObMXhC1pTZ2YJOj0pqBKfdHImfewsg+KCQKBgQDYCEJROOSdoe0evDWc
        ZbkAUMLBXqhl9r7uEjpdSewXpKdN1uUee5phBnFrYIX8kqBx6L/nBaMKrmbq8Rnu
        hp3ZFxgWHEk/SCzax0FkX7xevCleYyEMg+mjCT7YyzEW6i1fqoGnhvlsYmOJPiEO
        nntk+ifJGD1/My4lm8vKyossWQKBgQDAK4EEoAEEiacDgCDLjrJFwkuwH/To5o4/
        Yp0lsR4rJ1X3fR+rl7l921v38Mn/6SeQRV1kKC/B75zgAvLolZgkPQeZixSUxJWt
        YQNNY6/j/1LCLAW7k2A6KsHeKdsvXLFuaeRuYi3iY0zobva/Qk58m3z7/zhaSc+V
        AQCB7dWZ6QKBgFVr3p0zO+LAtnwiu6gd6OshBAFmJnw69wA4IO/mXP50UttKj8pf
        4Ylf/NUSk6htahfgipEU/4UntPZNY42XmS7QHOwRPz1Qkrvncgn4eQmUqV7zH4xN
        VMLs0vbyUXTYIBzl1OKjUljzBpyr/nJDZFNnPvgbJ6X2XNbuJcUIFcPxAoGAWYzs
        Vodpcf/jgFIY9kLM+I0OUEjUDCREbW065fGfqWRvPyFjvMa7fdbXCLeAqmywLx7j
        4mSHvMw4QnudTp1HhLub6wVQ1fK1/VGUBGBL+udkXW++TCblVLXQGgNPTMbZOCbI
        eFfwIes8T6RF/+KaSJ78o0HPtONohHsvDV0TiOECgYEAvTkv+hvt9/KKrae0yHv4
        xPYbROQTHi2hQSYhPImovbAoon1OauVG3dB25pK4ku49k45wJLOZjjDRB/RU9vFL
        Gt6k1b1Rc3Zg+iCyGJ+57tdCOEQsvs3ppZZK1/FVPND/s72Uf1Wzin8zRLzW414R
        UjZklJNbpETDO/Dx4pgKrZI=
        -----END PRIVATE KEY-----
        """
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGRxM5eiXqKejhfZA
        s+0fGMLFltFM4BCY24CVSovkLJahRANCAATbRVSKPEYwuo4pVpPL1O3BBolbqwDf
        5wG2hzkClW5i4YqwekgiOzpQ7mk7HuXZgSuHbx5CTMug9r7kRKpeq/2b
        -----END PRIVATE KEY-----
        """
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAmgENVpdpDjT33BHYS
        Gua0tHKSWZwApZKPguQ2RFiURWROitv7fpqXmPauWMqKBKKhZANiAAQcQMEwjMn+
        xaWcz44qWLpKuTbKoaMAsv82H6dXDyjTs9V4gVmNm1f7XGNgDUPwBPRl7Cj3hL4R
        RTSKP9dgnODaXLEuSemlTUMEyCSTbJjgn+YouDDNuFjQifKStp2az8Q=
        -----END PRIVATE KEY-----
        """
    static let p521 = """
        -----BEGIN PRIVATE KEY-----
        MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAx49yceCEaFSju9RA
        4gLOl3A0uPzD9GelmVTA+PjqPgmzvbVlJOIgydPKDmZ7buc7Y9PZKlOC+WufAeVt
        v2CIZ9ShgYkDgYYABADTvqAFNXP5AMat3qLFxfCNFXOnrTNt9VOiMPKxh0lt/7A3
        ETjwhV9FUBqRaTIG7Gqb4HcPnpe5Gg7JxfJfYiEEMgBqU2kUBgTB+AtUwYtFlbnP
        fk97yYoabJ3uiL7iy3mAaDjNv47WV639+uF+TcxC3bLQ/LdMDBdvFRRZcwwe7vHv
        /w==
        -----END PRIVATE KEY-----
        """
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJi0Zq1Sps9tpjNclTP2ZPZR66kkvWLgnkPBQCHMY1FJ
        -----END PRIVATE KEY-----
        """
    static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAK08wZnontmhWDDS
        d3PJCkeYUOUQCGplbSf0gh1XIuHhDYUbkHPI7G92nLd+RM4Ssf3hAfdolsVMCEoj
        ZRiktSGkCq8htxNcv0br1uLOj78GBC0q410adieNT+j7C8tpchO/zFvikR0EI8kV
        gzsTho4/gKb5bgzuZE+8/FteXJDrAgMBAAECgYAc1WvzzgACgRRIq/8tylxnpjZw
        qcZ8zvzoFY5Ci+pGZkr1yKy2WM7hjoBvGhkho4L0mqrVHxdZJ1qJ3HJLM77h4Gzs
        ginSTu8ufx3hmskocm+v9qfp/iybwZoM3vpo3wSP3x/tBTTxaG7eVb0/Fm/OZCtp
        lAoYZlWGY/kRlnSDAQJBANRI8yySXDOToxMdF9mz7Sh9EuzJFY/0O1aSQOLWUL9G
        gSWuZWSuvRppW7zOvKTlg0J0TmG/B0ru3hk5TVwPX4sCQQDQ6VP231R6trsS64e5
        vuyJIUjYD/AX6uy5p9HAW5ir65NEOacjz6HIHTayRctq/m4fRUmt2JlLo7Ux/zFR
        S8AhAkAX4DiRe8io+GLwBGapUqZK1n5paVhmf3apDvwDR01/peNipJG82DZmoRDz
        VGE9Pp8bu08RiVW9pM4QEjTUNNpvAkBDVjHeLPYJ58Q8wPYqhMOxH61fFyQIUYyj
        +te87Mk1AOWi5AJfpJk8602qAJ0ki4XrRmYNRveCTe4lg1/eGFCBAkBQ1vMRVF8o
        VkPL46JMn+OK+Iruxv9MIzY9Dtidn2eh/aD/z++T0BIpJ/IRoRd/lHuJjaN8pMBv
        yE/LdfQCjr3z
        -----END PRIVATE KEY-----
        """
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgfLnTcEde91sXVuGhl0r9
        /2ciNhVjUcfGA9reIKOT/QKhRANCAAQZdtqt50XMsTBm554iT7EoiAasiYtM1vWg
        kA24+YKgCFgbKY5FSfpiQ5WLXhcobHMzWAVVIUPZ6ES8sOrSpSfN
        -----END PRIVATE KEY-----
        """
    static let x25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIMBxEUqtHSGLimO1QzD/2KyvxNFFfm0RhxzQVFvweoBN
        -----END PRIVATE KEY-----
        """
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgzx7L3khhpvQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECH3mmgT6PWPyF+PDgzVqKYEgZDB
        clUkQXpTa0QxS8a+sDd7WG0C0cjyG+1+1puhIZZ3NTJTX4XmPbstdXJlbLtbeKAS
        WpH3kblGdHiDe1MLI6nnIe8Vlr63ksC5nDb9hGvgVXdCwues101E47A+LBvzDOIc
        tSyyQ6cFTA0ARBh73xB2RkiPyi89UfMk/KstrdOFCqqXQ+XuYeSos5/27z8rbDI=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIBkcTOXol6ino4X2QLPtHxjCxZbRTOAQmNuAlUqL5CyWoAoGCCqGSM49
        AwEHoUQDQgAE20VUijxGMLqOKVaTy9TtwQaJW6sA3+cBtoc5ApVuYuGKsHpIIjs6
        UO5pOx7l2YErh28eQkzLoPa+5ESqXqv9mw==
        -----END EC PRIVATE KEY-----
        """
}
