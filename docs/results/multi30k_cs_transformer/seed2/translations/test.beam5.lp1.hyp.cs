Muž v oranžové čepici se dívá na něco.
Kůzdelec běží po ledě zelené trávě před bílým plotem.
Dívka v karate si dává klacek před kopou.
Pět lidí v zimních bundách a helmách stojí ve sněhu, v pozadí jsou sníh.
Lidé opravují střechu domu.
Muž ve světle zbarveném oblečení fotí skupinu mužů, kteří mají na sobě tmavé obleky a klobouky, stojí kolem ženy oblečená do rovných šatech.
Skupina lidí stojí před obloukem.
Chlapec v červeném dresu se snaží udělat talíř na domácí metě, zatímco chytač v modrém dresu se pokouší chytit.
Muž pracuje na budově.
Muž v vestě sedí na židli a drží časopisy.
Matka a jeho mladá žena si užívají venku krásný den.
Muži hrají volejbal, jeden z nich má za ruce míč, alehají míč do vzduchu.
Žena drží mísu jídla v kuchyni.
Muž sedí u stolu s nářadím v jeho domě.
Tři lidé sedí v jesu.
Dívka v džínových šatech jde po kladině.
Blonďatá drží ruce s mužem v písku.
Žena v šedém svetru a černé kšiltovce stojí ve frontě v obchodě.
Člověk v pruhovaném triku leze na horu.
Dva muži předcházející, aby se podívali, zatímco se žena dívá.
Lidé stojí před budovou.
Teenager hraje na trumpetu na hřišti.
Žena dělá nějaké kožky na trampolíně na pláži.
Muž stojí u skupiny videohů v baru.
Žena používá vrtačku, zatímco jiný muž fotí.
Žena v růžovém svetru a zástěře čistí stůl spongem.
Muž řeže větve stromů.
Skupina asijských chlapců čeká na maso, aby u grilu.
Ženy v tradičním oblečení, možná domorody.
Jeden muž drží jiného muže a připravuje se do obličeje do obličeje.
Šest lidí jede na horském kole skrz džživku.
Dvě blonďaté dívky sedí na římse v přeplněném náměstí.
Dítě cáká ve vodě.
Tři lidé sedí u piknikového stolu před budovou, které je namalována pytlem.
Tři chlapci stojí na molu v plavkách.
Zaměstnanec podává ženě tašku, zatímco si prohlíží ryby na trhu.
Krásná žena hraje na harfiiiu.
Zatímco je na straně budovy, v uniformě se dívá do kamery na kameru za plotem.
Mladá žena se dívá na pizzu.
Muž bez trička v šortkách rybaří, zatímco stojí na nějakých kamenech.
Dívka v záchranné vestě pluje ve vodě.
Muž v uniformě a muž v modrém triku stojí před dodávkou.
Lidé sedí ve vlaku.
Dítě se houpe s nohama ve vzduchu v lese.
Muž v červeném triku vchází do podniku.
Dva muži v plavkách skáčou do vzduchu na mostré pláži.
Batole vaří s jiným člověkem.
Otec a dvě děti před domem, které pracují na zahradě a používají sávky na trávě.
Muž vaří jídlo na sporáku.
Muž v džínách na pláži si hraje s červeným míčkem.
Lidé jdou po chodníku vedle řady obchodů.
Diváci na wakeboardu předvádí salto, zatímco je posledována vysokou.
Velká skupina lidí naplňuje ulici.
Muž na jmenovku jde do vody.
Žena v džínách jde kolem autobusu s hodinami a dívá se na ženu přes sluneční brýle.
Muž v růžovém triku sedí na trávě a míč je ve vzduchu.
Auto zaparkovaný na pláži.
Dva muži v černém ve městě.
Muž ve žlutých kalhotách zvedá ruce.
Dva muži v čepicích s čepicemi jdou kolem vodní plochy během západu slunce.
Tým roztleskávaček sestavující na židlích.
Kluk hraje dámu s dospělým zobrazena, zatímco dívka se dívá.
Dav lidí se baví ve veřejném parku.
Muž sedí na lavičce a drží svého psa a dívá se na vodu.
Chlapec a jeho mladší bratr si spolu hrají na hřišti.
Žena v modré kožené bundě sedí na lavičce během slunečného dne, zatímco lidé jsou za ní a prochází kolem.
Hnědý pes stojí na písečné pláži.
Žena sedí s košíkem, obklopená látkami.
Muž griluje na dvorku.
Žena zpívá v klubu s kytaristou za ní.
Kytarista hraje v noci na červenou kytaru.
Dítě sedí na zahradní židli a dívá se do kamery.
Dvě ženy a tři muži se dívají na oceán.
Umělkyně s housle hraje na ulici, zatímco žena s modrou kytarou se dívá.
Mladá dívka plave v bazénu.
Několik dětí se připravuje venku, aby si hrát.
Tři teenageři v metru si hrají.
Hnědý pes jde po trávě s vyplazeným jazykem.
Lidé sedí na trávě před budovou a dávají si pauzu.
Muž bez trička hledí do dálky, zatímco tři ženy sedí před kavárnou.
Dva mladí chlapci dávají ovoce na kole.
Muž v černém triku, čepici a džínách hraje na bicí na žlutém kole.
Mladá umělecka maluje obrázek ženy na zdi.
Dvě členky týmu týmu týmu USA USA USA předvádí vysoko obklopena dvěma členy.
Muž v této kuchyni pije svou tekutinu.
Chlapec wakeboarduje na jezeře.
Muž pracuje s hotdogem.
Velká skupina lidí různého věku a baletky sedí venku.
Blonďatá žena lije nápoj na baru.
Malé dítě v modrobílém tričku šťastně drží žlutou plastovou plastovou plastovou plošině.
Žena s růžovými vlasy v černém mluví k muži.
Muž v japonském obleku připravuje jídlo pro dva lidé.
Dívka skáče přes řeku z kamene.
Dělník s nástrojem klečí vedle dvou žen.
Starší muž otevírá svůj široce a dívá se na chrád.
Dítě v bílém karate cvičí pohyb.
Tři muži ve stejných vestách jsou venku.
Žena fotí dítě v růžové čepici, zatímco muž nese svůj foťák.
Skupina asijských dětí sedí v modrých křeslech v modrých židlích.
Mladý chlapec v fotbalovém dresu brečí do svých palmách.
Šťastná žena připravuje v kavárně špínky.
Stavební dělník řídí těžké vybavení na staveništi.
Žena běží za odpalem ženy v softballovém softballu, chytá nohy.
Muž v pracovní uniformě míjí nástroje k dalším člověkem.
Skupina lidí leze ve studeném počasí.
Horský horolezec se chystá dolů po hoře s modrou helmou.
Muž dělá stojku na vrchu kulaté sochy.
Dítě sedí v restauraci u stolu a drží papírovou masku proti obličeji.
Hnědý pes se brodí do jezera aby vyhráli klacek.
Matka učí své dva chlapce, aby chytil rybu ze skalnatého pobřeží do vody.
Malé dítě jde vedle červených praporů.
Dívka sedí na dlážděném kole s mladším chlapcem, zatímco další dívka fotí.
Černý pes odhrabává míč ve vodě.
Muž v bílých kalhotách a modrém triku kope do žlutého boxu.
Dva Indci se účastní obřadu.
Chlapec s čírem a nosem stojí v rukou na videohu v obchodě.
Dva Siluety lidí pádlují na kánoi během západu slunce.
Lidé stojí na přeplněném metru a plošině je vidět skrz okno.
Muž pije zeď s ohněm v ruce.
Dva hnědí psi běží sněhem.
Jedna fotka malých kapely vystupuje pro publikum.
Mimino v vánočním oblečení se dívá do objektivu.
Muž sedí vedle počítačového monitoru.
Tato dáma má vtipné zábavce a směje se.
Lidé v budově, jeden fotí.
Čtyři bílí psi s náhubky skáčou přes červenou zeď.
Žena v modrém triku drží miminko.
Dva lidé sedí na pruhovaných židlích na dřevěných židlích ve vodě.
Stará žena pracuje na tkalcovském stroji.
Chlapec stojí v popředí a dívá se na jinou lidi na kurtu.
Muž v modré bundě si bere mladého chlapce na rameni.
Tři hnědí psi skáčou nahoru na ženu v modrém.
Chlapec visí z okna a míjí taxík.
Muž v šedém triku skáče přes písečnou dunu v poušti.
Dítě ve žlutém triku skáče nahoru a dolů.
Dělník ve žluté bundě je ve vzduchu a pracuje na budově.
Muž v Číkavském kostýmu si povídá s mladými dospělými.
Několik pivech táhne po baru s vánočními světly na stropu.
Muž sjíždí útes přes oceán.
Muž v černém jde se svým autem ve sněhu.
Mexika skáče po míči.
Policista v kšiltovce a modré uniformě se usmívá, zatímco má na sobě sluneční brýle před obchodem.
Rodina se prochází v parku.
Muž v zelené přilbě a žluté bezpečnostní vestě se mračí.
Dítě s růžovými provázky tančí na hlavě obklopený konetem, balónky.
Pes s nosem nam nose pro něco na řece.
Muž se připravuje na své místní den.
Muž v červeném triku se chystá jít ocas.
Mladá žena v bílém drží tenisovou raketu.
Chlapec v červeném triku kope do písku se žlutou lopatou.
Jedinec v růžové bundě na dřevěné lavičce.
Muž v bílém triku se dívá z okna kovové konstrukce.
Žena drží malou bílou sochu.
Šest dětí bez trika si hrají v přírodě a cáká si.
Dva lidé jedou na kolech skrz horu.
Dívka skáče na provazu na chodníku poblíž garáže.
Muž v oranžovém triku a helmě.
Malý chlapec si hraje s plastovými kostkami, auty a zvířemi, zatímco ho pozorují dospělý.
Malá dívka otevírá vánoční dárky.
Žena v modrém řídí foťák před dvěma dalšími ženami.
Malá dívka se pokouší na komukovém gauči.
Hnědočerný pes běží po cestě v lese.
Dva psi si hrají u stromu.
Rodododec v černém kabátu a kalhotách jde po schodech, zatímco se soustředí na psa na psa.
Dva muži v zeleném připravují jídlo v restauraci.
Muž oblečený v černém koženém klobouku a kovbojském klobouku jde kolem Rody.
Pes běží venku se žlutou hračkou.
Pes s dekou běží ve sněhu.
Rodina si hraje na pláži se svým psem.
Žena a dítě se objímají, zatímco dítě ho otírá.
Dva muži a žena stojí venku.
Skupina mužů používá klády, aby vytál na lodi z vody.
Muž pije z vína, zatímco čte noviny.
Muž v celém černém a hraje na piano.
Mladý chlapec v modrém dresu a žlutých šortkách hraje fotbal.
Muž stojí na kamenné stavbě s rukama jako ptáka.
Pes pije vodu venku na trávě.
Dvě ženy v tílkách se dívají na kameru.
Muž sedí v holičkové židli a připravuje se na holí.
Malé dítě v zelených botách si hraje v bahně.
Muž používá motorovou pilu, aby vytřezlit sou.
Muž sedí u piknikového stolu s tácem a částečně částečně částečně částečně před ním.
Chlapec v černém triku a modrých džínách drží červený míček.
Tmavovlasý muž v brýlích a havajské košili sedí na trávě.
Pes běží na psí dráze.
Světlehnědý muž s kmenem, který má na sobě kmene kmene na balkóně.
Dva němecští ovčáki se spolu štětají.
Tato je skupina lidí, kteří stojí kolem nějaké události.
Hnědo-bílý pes přidržuje hračku.
Muž s bílými vlasy hraje na akordeon uprostřed nějakých budov.
Žena s hnědými vlasy sedí na lavičce venku před kavárnou.
Muž vedle kola hraje na flétnu.
Dvě děti balancuje na kládě a drží provaz.
Muž na motorce předvádí trik na trati.
Mladá žena s fialovou látkou se schovává o obličej na dřevěné palubě.
Žena v hnědém triku sedí na světle červené lavičce.
Pes jde po kládě přes malé řece.
Mladý muž v bílém triku a zelených šortkách stojí na pařezu.
Skupina lidí je celá zakrytá deštníky.
Muž bez trika s velkou kravatou na kole.
Muž hází kládu do vody, zatímco se dva psi dívají.
Skupina starších lidí hraje na nástroje pod stanem u vody.
Pohled na zalidněné ulice.
Mladá blonďatá žena drží bílé lano za slunečného dne.
Dva lidé v modrých tričkách jsou venku s býkem.
Černý pes se točí do bazénu.
Kovboj jede na zádech koně v soutěži.
želec pracuje na údržbách na železniční trati.
Pracovník v oranžové vestě používá lopatu.
Dva stavební dělníci mají diskuzi, zatímco pracují na staveništi.
Tři muži vychází z kopce.
Asijská žena v květinových svatebních svatebních šatech pózuje na mostě blízko její družičky.
Mladý muž tahá jeho kytaru v kuchyni.
Tři chlapci si hrají spongy a kyblíky vody.
Tři stavební dělníci jedou po chodníku.
Lidé v lese u kááno.
Sborka se shromáždila v kostele.
Skupina mladých dospívajících skáče v noci a dělají zábavnosti pózuje pro kameru.
Dva muži jedou na kajaku, jeden v oranžové, jeden z nich sjíždí potok.
Dva pracovníci rozkládají cement do cihlové budovy.
Žena v červeném svetru a džínách sedí s rukama na kolenou.
Dva umělci dávající senici na pro publikum, který se na něj dívá.
GI odpočívá a čeká na letišti.
Muž ve žluté bundě se stará o oheň, chlapec v parku se dívá.
Muž a chlapec na kamenné pláži.
Žena na lodi s nápisem "Eopopopop" v černém závaží do vody.
Chlapec sedí a dívá se z mikroskopu.
Mladá boska v růžových šatech skáče venku.
Mnoho lidí sedí venku kolem stanu.
Mladík v černém triku s nápisem "AAOOO" 20111111, zatímco sedí na buben.
Muž prodává věci poblíž silnice na kraji hory.
Dívka ve žlutém se směje na dívku v oranžovém, která je sleduje dívku v modrém.
Pes skáče přes překážku venku.
Pes s černým obojkem se válí v hlíně a s listím.
Dva hnědí psi si hrají v divočině.
Muž s knírem a vousy drží pána, který má plameny.
Muž, který má na sobě rekrovné oblečení, je v ringu.
Muž v černém triku rybaří na kamenitém břehu.
Dva psi se přetahují o nose.
Dva muži se zastavili na chodníku, zatímco projíždí kolem auta.
čínský muž sedí a čeká na zákazníky.
Zákazníci ve školním autobuse za nimi.
Dvě ženy v podobných tričkách jdou doleva.
Malé dítě v oranžové záchranné vestě drží pás a pádluje na modrém kajaku ve vodě.
Lidé jdou po stezce v parku plném stromů.
Tři mladí dospělí mluví v davu lidí, koukají se nahoru.
Žena a dítě venku před dveřmi svého domu.
Černoch a jeho se dvěma přátelé dávají na hlavě blízko sebe.
Dívka v maskáčových kalhotách sedí na vrchu Husu.
Světle hnědý pes běží nahoru.
Chlapec pózuje s velkou zelenou v nose.
Plešatý muž, který skáče vysokou hnědo-černý pes.
Dav na rušné ulici.
Chrti s náhubkem ve žlutém a černém běží po trati.
Muž v sandálech sedí na chodníku poblíž nějakých tašek.
Muž a žena sedí na metě a povídají si.
Dítě se dívá na kávu v obchodě.
Muž pije z žlutého hrnku okolo lidí na rušné akci.
Chlapec se opírá o auto s květinami na kapuci.
Žena v květovaných šatech mluví s dětmi před dodávkou.
Muž na svatebním dni.
Mladá žena v černém triku a džínách zametá.
Žena s kloboukem leze na útesu blízko velké vodní plochy.
Velký černý pudl běží po trávě s hračkou v puse.
Chlapec v šortkách dělá skateboardový trik.
Malý chlapec v červených kalhotách stojí na ulici.
Žena píše svůj telefon, zatímco je obklopený deštníky.
Osm mužů hraje na nástroje na pódiu, kytarista vysoko ve světle osvětleném světle.
Muž v oranžové kombinéze a závodní přilbě pomáhá s modrou hadicí.
Muž a dvě dívky ukazují rybu, zatímco drží rybářský prut před vodou.
Muž v červeném triku sleduje psa na překážkové dráze.
Chlapec v červenobílých plavkách skáče dozadu v krásném bazénu.
Asijská žena drží své vlasy dozadu.
Starší žena a malé dítě v růžovém triku si hrají s barevnými kostkami.
Malý černý pes skáče přes brány.
Hnědovlasý muž v zeleném triku hraje venku na trumpetu.
Muž mluví do telefonu s nohama nahoře.
Skupina dětí sedí na modré podložce, zatímco jí z mísy.
Černý chlapec sedí v písku.
Malý pes sleduje dva velké psy, jak si hrají na poli.
Lidé sedí v kruhu před velkou budovou.
Jeden pes skáče, aby chytil softball, zatímco jiný přihlíží.
Blonďaté dítě se houpe na houpačce.
Jeden muž a dvě ženy mají diskuzi přes bílé víno.
Asiat vaří venku jídlo.
Hnědý pes se chystá chytit zelené frisbee.
Roztleská kapela hraje píseň.
Mladý chlapec stojí vedle písečné sochy pyramidy.
Tři malé děti jdou po travnatém dvorku.
Muž je na uměleckém vozíku.
Muž na kole jede na hoře.
Chlapec v modrožlutéch botách běží po hlíně.
Žena v oranžové bundě sedí na lavičce.
Muž dělá trik na skateboardu.
Muž v uniformě bojové umění ve vzduchu.
Žena prodává ovoce na chodníku.
Dva fotbalové týmy jsou na hřišti.
Dítě v modrém triku skáče z lavičky.
Brankář ve žlutém dresu ochranné gól.
Skupina mladých lidí se fotí v mexickém prostředí.
Mladý muž skateboarduje z růžové zábradlí.
Mladý chlapec skáče z posteli na malé posteli.
Dva lidé ve zvláštních kostýmech podobných kostýmech, jeden modrý a fialovém, stojí na silnici.
Muž běží v modrém triku s číslem čísi.
Asiat v továrně pózují na kameru.
Muž, který vypadá jako běží maraton a 2 palec nahoru.
Basketbalista střílí o gól během hry.
Fotbalista v oranžovém dresu se usmívá a drží fotbalový míč.
Dva skateboardisté jedou po zatáčce, zatímco se ostatní dívají.
Tým v bílém a zlaté na straně fotbalového hřiště.
Malá dívka tlačí své skútr skrz travnaté pole.
Skupina asijských dětí v bílých košilích a čepicích předvádí s diváky.
Chodci jdou po ulici a dívá se na dítě v kartonové krabici.
Hnědý pes běží po písečné pláži.
Dva muži ve vojenské uniformě stojí vedle ženy.
Vodní Lamovní Laaaassi na přijímáce, kde jsou zpořátka a létky.
Cyklista skáče přes překážku.
Pár sedí na bílých zahradních židlích a usmívají se do objektivu.
Mladé děti jsou na malém vlaku.
Surfař v modrých plavkách jede na vlnách.
Chlapec skáče do svého míče.
Dva mladí muži na opačných týmů bojují k míči na fotbalovém hřišti.
Lidé jdou po dlážděném svahu obklopené čínskými lidmi.
Mladý chlapec v bílých kalhotách skáče z gauče.
Chlapec v oranžovém triku lije Legol z tašky.
Žena v hnědých sandálech a modrých džínách v bílém triku drží dítě pod vysokým stromem.
Tři lidé se usmívají a drží cedule.
Policista stojí vedle auta na městské ulici.
Dva muži v kloboucích.
Chlapec ve vzduchu se snaží kop do fotbalového míče.
Mladý chlapec s modrou čepicí má hlavu.
Červenovlasý muž s dredy sedí a hraje na akustickou kytaru.
Muž jí sendvič se svými dcerami na klíně.
Afroamerické dítě drží něco, které se fotí.
Žena řídí dav lidí s ledou.
Několik přihlížejících se dívají, zatímco Policista dělá proslov a muž v obleku drží ovoce.
Dav prezentuje na baru.
Dívka v bílém a dívka v zeleném jdou kolem modrého vlakového auta.
Muž používá elektronickový stroj.
Člověk surfuje na vlně v oceánu.
Voják si prohlíží něco.
Nevěsta a ženich se líbají pod nevěstou.
Policista stojí v pozadí, zatímco mladý muž s červenou šálou zakrývá obličej.
Černobílý pes skáče přes strménu v soutěži.
Žena ve svetru čte knihu ve svém domě.
Několik dospívajících se dívá přes zábradlí v tmavé místnosti.
Muž v bílém triku začíná na skálu.
Dospívající chlapec se protahuje v kuchyni a technikové čtvrti.
Lidé drží různé druhy bubnů na bubny nad různými bubny.
Tři farmáři sbírají rýži na poli.
Dvě ženy a muž se dívají na knihu.
Tři děti jsou na zadních nohou, zatímco stojí poblíž nezlizlikého huda.
Kuchař pózuje pro fotoaparát, zatímco vaří.
Mnoho lidí na ulici protestuje v obchodním rostlinách.
Dospívající skáče do kopce se svým kolem.
Malá dívka běží na pobřeží pláže.
Bílá kachna spí svou křídou ve vodě.
Dva muži se baví, zatímco stojí před nákladním autem a za sebou jsou další lidé, kteří stojí za nimi.
Žena v růžové sukni drží miminko.
Hokejista ve žlutém dresu strážuje gól.
Muž jde kolem velkého nápisu, na kterém je napsáno ESS.
Tři chlapci v zelených tričkách a béžových kalhotách pózují na vrcholu skluzavky.
Muž tancuje se psem mezi nohama.
Bílý pes běží v mělké vodě.
Vodní kostci pochodují s kapelou.
Skupina dětí si spolu hraje na oploceném dvoře, zatímco ho dospělý pozoruje.
Skupina žen spolu hraje na hudební nástroje.
Malá dívka ve fialových kostkovaných šatech leží na zemi a pláče.
Muž s šedými vlasy si holí vousy.
Dva černí psi, černé štěně a bílý pes ve sněhu.
Muž v basketbalovém basketbalovém dresu skáče, aby mohli vytovat střel střel střelu.
Žena sedí venku před domem s modrými dveřmi a užívá si do vzduchu.
Děti sedí na muži v obleku s banánem.
Šedobílý pes skáče přes vodu v písku.
Dav se shromáždil kolem fontány v dešti.
Několik starších mužů, někteří v tradičních oděvech konečuje na rohu ulice.
Mladý pes se dívá do sněhu.
Fotbalista ve zlatém dresu blokuje míč od protihráče.
Žena v černém triku plete s fialovou přístou.
Čtyři Asiatky ve zlatých šatech předvádí míč.
Člověk hraje na jediný hudební nástroj.
Dívka v černém oblečení s číslem 11111111 běží přes trávu.
Dítě přechází běžce s číslem 33.
Starší pán a mladá dívka začíná spolu pracují na zmateně.
Fotka natáčí mladé Afričanovi ve žlutém triku.
Ulice osvětleného mostu s cyklistou a nějakými auty.
Muž jede na býkovi na býkovi.
Chlapec skáče na tenisový míček s raketou.
Děti se dívají na zeď, zatímco se dva další lidé dívají.
Lidé, kteří jdou po nedravitém kempu s palmami v pozadí.
Malá dívka kope do černého oblečení na hodině karate.
Dva muži se snaží udržet z vody na chodníku z pneumatiky.
Dva muži tančí, s davem se dívají.
Profesionální žena stojí na pódiu a o něčem diskutují.
Žena leží na gauči a směje se.
Motorkář se nechává u sebe s bílou a jedna žena.
Síka skáče přes plot.
Tři psi si spolu hrají na poli.
Dvě malé děti jsou na písku.
Usmívající se mladý chlapec si hraje v listí mezi kachnami.
Tito čtyři lidé stojí venku, tři psi.
Zatímco navštěvců, někteří zpráví ukazuje na prostředku v prostředku v v prostředku atrtrovaném prostředí.
Dívka, která má na sobě triko, má otevřenou pusu.
Skupina kmene pluje vodu v poušti.
Muž stojí na městské ulici.
Fotka ptáků letící od jídla v jejich sedě.
Dva muži jedou na farmě při přistádají své cestě.
Dva lidé stojí na vrcholu hory.
Mladá dívka si užívá svou, když dělá ve sněhu.
Tři muži se usmívají na kameru a předvádějí své hrky.
Člověk píše na tabuli v prázdné třídě.
Muž v černém triku sedí u stolu s otevřenou laptopem před ním.
Čtyři lidé odpočívají na travnatém kopci s výhledem na kamenité údolí.
Chlapec s skateboardem skáče do vzduchu po zábradlí.
Muž v oranžovém triku hraje tenis.
Pes s červeným obojkem medvědem si čistí zuby na psa s modrým obojkem.
Chlapec si užívá venku letní den.
Dělník v oranžovém obleku klečí a kontroluje kus stroje.
Muži v kovbojských kloboucích stojí na rodeu.
Dva psi jsou ve sněhu a jeden má něco v puse.
Zaměstnanec si dává pauzu od práce, aby si popít nápoj.
Béžový pes běží za bílým psem a drží žlutou hračku.
Hokejista v bílém dresu s klackem.
Muž v bílém triku s zlatým trikem si hraje s kruhem.
Černý kůň slézá hlavu přes plot a snaží se sahá po trávě.
Zahrádel před sebou se snaží udržet své ruce, aby mohla zpravit zpravu.
Dva muži a dívka se smějí.
Dítě se opírá o výstavu z obraz modrožlutého plastového plastového plastového plastového plastového, zatímco dospělý přihlíží.
Černý pes jde podél plamenu na sněhu.
Mladá dívka stojí vedle žluté kočky na kuchyňském pultu.
Dvě děti si hrají na hřišti.
Tenista v zeleném pruhovaném triku drží ruku do pusy.
Chlapec v červeném obleku si hraje ve vodě.
Dítě v červené bundě a čepici drží velký kus sněhu.
Dva policisté v oranžových bundách stojí venku před bílým stanem s diváky.
Dva lidé stojí vedle stromu na zemi.
Dva muži sedí u kamenné budovy a povídají si.
Hnědovlasá dítě s brýlemi drží blonďaté dítě v červeném svetru a žlutých botách.
Černobílý pes si hraje s bílým míčem.
Dva lidé se líbají na chodníku před obloukem, zatímco lidé prochází kolem.
Žena hraje volejbal.
Dva velcí psi bojují na prašném poli.
Hnědý pes skáče přes překážku.
Muž v pruhovaném triku kouří cigaretu na ulici.
Malá dívka drží malého chlapce na klíně.
Muž se snaží udělat cestu velmi možného býka na krásném býku.
Děti se perou o o výtku.
Cyklista se naklání na horském kole kolem se ohýbá na prašné dráze.
Dva lidé a vodínkají krávou krávu na domácím domě.
Mladý chlapec se učí, jak jede na kole se svým otcem.
Kluk v červeném triku a černých šortkách zametá cestu.
Afroamerická rodina stojí před nějakými zdobou domy.
Muž hraje na nástroj vedle stromu.
Dvě ženy drží za ruce nad stolem a usmívají se na kameru.
Muž venčí hnědého psa na trávě.
Baseballový hráč v černém triku právě hodil hráče v bílém triku.
Žena drží velkou dámu pro děti Fafon.
Dva psi, jeden s tenisovým míčkem v puse, běží vysokou trávou.
Dva dospělí a dvě děti sedí na lavičce v parku.
Žena v travnatém poli fouká na pítě.
Muž prodává brambory ke skupině lidí.
Skupina lidí na ulici se shromáždila, aby mohla na akordeon.
Muž sedí na lavičce a přepravuje svůj iPod.
Starý muž v metru s těžkým oblečení čte noviny.
Starší muž v brýlích připravuje maso.
Muž předvádí trik na kole, zatímco stojí na lodi, zatímco je posledována kolem.
Muž na pláži dělá písečnou sochu.
Několik lidí v parku jí u piknikového stolu.
Dvě ženy jsou na stromě v nějakém zařízení.
Kovboj v rodeu se snaží 8.
Pes skáče skrz překážkovou překážku.
Obézná žena s dlouhými černými vlasy v růžovém triku a jmenovkou si nandavá rty.
Muž opravuje malou dívku na kole.
Dvě dívky v křich sukních tančí před nějakými hudebními muzikanty na ulici.
Žlutý pes nese klacek u vody.
Dívka ve svetru blokuje slunce.
Horolezec si dává na místě.
Tři ženy v jasně barevných barvách a šatech se drží zamyzané karty.
Hnědý pes kope do špinavého psa.
Mladý chlapec v bílém pruhovaném triku a čelence drží tenisovou raketu.
Dva psi běží pryč od kamery v lese.
Dívka si hraje v kašně plné látky.
Tři mladé zápasníci stojí a poslouchá si.
Dva turisté kontrolují kládu u strany lesa.
Tři hráči hrají tým proti zemi.
Dva chlapci přechází ulici ve městě, zatímco kope do červeného fotbalového míče.
Muž drží druhého s zády.
Bílý pes na horském břehu se otáčí na něco mimo záběr, oblohou v pozadí.
Chlapec jede na skateboardu na skateboardu po rampě.
Dlouhovlasý muž hraje na piano.
Tři atleti drží kytici stojí na pódiu.
Dvě Plešatě baletky v červených šatech.
Mladý chlapec visí na stojanu.
Malá dívka v růžovém drží tyč.
Muž v zeleném skáče několik motorků na své motorce.
Žena si hraje s dvěma mladými chlapci v parku.
Čtyři lidé hrají fotbal na pláži.
Dvě dospívající dívky se objímají, jedna má na sobě helmu, s cyklisty v pozadí.
Dva středně velcí psi běží přes sníh.
Žena stojí na zeleném poli drží bílého psa a ukazuje na hnědou psa.
Pohled plný fotografie v rámech na venkovním trhu.
Dva lidé sedí u stolu před zdí a dělají obličeje.
Dva muži s piercingy se usmívají.
Dítě leží na béžovém koberci a směje se.
Muž a žena sedí a jsou seřazeni rukama.
Dvě ženy zápasí v dětském bazénu.
Muž v bílém triku jde s pitím v ruce.
Dva lidé jsou proti jezeře na pomalovaným nebem.
Několik lidí sedí u stolu ve formálním oblečení.
Dvě dívky (stroje oblečené v modrém a jedna v růžovém závodí na kolečkových bruslích.
Čtyři lidé sedí na hromadě kamenů.
Skupina lidí dělá triky na motorce.
Cyklista v závodním vybavení jede lesem.
Muž v zeleném triku jde po pláži a nese své tenisky.
Několik mužů stojí kolem závodního auta.
Dva muži pracují pod kapotou bílého závodního auta.
Děti skáčou z kraje v bazénu.
Muž na okraji zdi se chystá na podzim.
Žena v pruhovaném oblečení na kole.
Dívka v černém pózuje na kameru.
Muž v šortkách stojí u vody.
Čtyři černoši sedí na schodech kostel.
jeřáby obsluhuje hromadu hromady skrů.
Gymnastka v červeno-bílém je uprostřed draka na baru.
Starší dáma v zeleném svetru sbírá zeleninu.
Dva muži vyrábí věci v dílně s nástroji.
Učitelka v bílém a malá dívka ve žlutých šatech si hraje s kostičkou.
Malé dítě spí v posteli s otevřenou knihou na hrudi.
Žena jí v trávě na krásném dni.
Muž jde po dlážděné ulici vedle posprejované budovy s červenými stojany.
Žena v klobouku dělá chléb.
Osamělý žena používá velkou hladinku a létku, zatímco stojí na poli, zatímco jsou létá sátky.
Muž v karate hraje před dvěma regraci.
Muž ve formálním oděvu hraje na piano na chodníku městské ulice.
Starší muž sedí na židli a jí nějaké svačinu.
Žena v bílém triku pracuje za pultem v kavárně.
Muž v pracovním oblečení stojí na zadním sedadle auta.
Dvě děti se dívají na koně skrz malý plot.
V okně s nějakým designem na které je namalována vzory.
Žena, která má na sobě jasně růžové, dělá obličej, zatímco žena ve fialovém, stojí venku a stojí venku.
Kovboj zabalená rukou s kapelou.
Muž ve žlutém triku a muž v tmavém modrém triku mluví.
Tři asijské děti sedí na gauči s páskou páskami v pozadí.
Dívka v červeném triku skáče na tenisový míč.
Muž pózuje s zelenou jeřábem.
Muž svírými lahvemi s jiným člověkem v restauraci se usmívá.
Muž nakládá krabici s spoustou pevů.
Muž v černé bundě hraje na kytaru ve veřejném prostranství.
Skupina tancuje v průvodu v čínském průvodu.
Muž stojí na kamenném útesu a dívá se na vodu.
Policisté sledují ženu z autobusu.
Dva policisté středního věku sledují parkoviště v noci.
Dva muži v modrých tričkách se dívají na fotbalový zápas.
Skupina mužů v modrých uniformách stojí spolu.
Mladá žena dělá jógu na pláži.
Velký dav lidí stojí v parku a několik lidí hrajících na hudební nástroje.
Muž s kloboukem dělá balónek z balónků.
Muž griluje maso na venkovním grilu.
Dva muži prodávají ovoce na trhu.
Bruneta v bílých bikinách lije nápoj do pána.
Chlapec ve slunečních brýlích běží za pouti.
Rybář v rukavicích drží něco, co vypadá, co se zdá, že se protát o kládu.
Muž v kostkované košili ukazuje černé rukavice.
Dva muži v bílých plastových křeslech sedí ve dveřích.
Mladá dívka v červených šatech má na sobě černou kovbojský klobouk.
Muž v červeno-bílém fotbalovém dresu stojí na hřišti s žlutými míči.
Lidé skáčou přes horu na provaz.
Lidé se dívají v maratonu.
Lidé na laptopech před velkým oknem.
Žokej v rušné práci, zatímco se světlem svítí na něj.
Muž v rukavicích nese kukuřici na poli.
Fotograf je focen z zrcadla v kavárně.
Fotka drží balónky na akci.
Žena sedí v kleci v prostoru s krám a dvěma králíky.
Žena sedí u cihlové zdi uvnitř budovy.
Tři mladé ženy se spolu dívají, zatímco sedí na červených židlích.
Žena v modrém triku jde ve vesnici.
Šest dětí, kteří sedí na schodech a pastelkami.
Béžový pes si hraje s klackem na pobřeží.
Dva psi si hrají, třetího psa, který má vyplazený jazyk.
Dítě se usmívá na motorce.
6 lidí se shromáždili okolo aby jí velký večeři.
Sananananty je focení na svou akci.
Vojáci pochodují New Yorku v dešti.
Žena v modré helmě a červených kalhotách jede na motorce.
Několik mužů v uniformách bojového umění, zatímco předvádí nějaké pohyby.
Mladá žena a muž v oblečení v kostýmu si otírá tyč s skupinou lidí v pozadí.
Muž v uniformě jde po ulici se dvěma auty a stromy.
Mladá žena leze po skalní stěně.
Starší muž ve světle modré bundě pracuje na autě na kraji silnice.
Lidé se dívají přes několik barevných kusů papíru na stole.
Muž zpívá a hraje na kytaru do mikrofonu.
Dva muži sedí v restauraci.
Dvě ženy v šortkách běží po pláži podél vody.
Stavební dělníci mají diskuzi u trati.
Pohled na dívku, kde je muž v černé zástěře, který stojí uprostřed bílého týmu.
Skupina lidí si hraje na předmět.
Malá dívka v modrém oblečení leze po kovové zábradlí na ulici.
Skupina mužů sedí a mluví za nějakými zeleným ovocem.
Muž ve žlutém oblečení stojí za mikrofonem pod stanem.
Hnědý pes s fialovým frisbee v tlamě.
Vypadá to, že muž cvičí bojové umění, zatímco se pohybují poblíž zablánou vody.
Žena s pitím a žena s mobilem.
Dítě v červeném kabátě mává rukou ve vzduchu, zatímco leží ve sněhu vedle červených sáňkách.
Žena sedí vedle své kabelky a dívá se na psy v parku.
Tři muži stojí na pódiu, jeden má na sobě klauna a drží kytaru.
Žena nakládá rostliny v kmenové řadě.
Žena v červených šatech tancuje s mužem v obleku.
Dva malí psi následuje velký pes s tenisovým míčkem.
Muž v autobuse a baseballové čepici sedí na lavičce v parku.
Afroameričan stojí na zahradě s lesem v pozadí.
Mladá dívka se snaží dát kozu.
Asiaté sedí v restauraci se žlutými židlemi.
Dítě jí sušenky, zatímco sedí na dětské židli a má na sobě bru.
Šedovlasý muž v černých rukavicích se pohybuje po trávníku.
Žena si čte knihu, zatímco sedí ve řadách červených židlích.
Dítě tleská, zatímco jede na ramenou ženy.
Rodina jde po chodníku ve sněhu, zatímco muž sedí na straně s papírem.
Kočka sedí na vrchu obchodu s nápisem.
Muž v růžovém triku a černé bundě se sluchátky.
Mladý muž se chystá hodit fotbalový míč.
Muž a dívka jdou po cestě.
Žena s růžovými vlasy je na chodníku a drží růžové psy.
Muž v obleku drží nápoj a jde po chodníku vedle autobusu.
Muž, který skáče s skalním smamamaci v pozadí.
Člověk v červené bundě s černými kalhotami drží dudky.
Žena si dává ruku na člověka sedící na vozíku.
Muž v bílé zástěře vaří něco vejce s vajíčky na pánem venku před ženou v béžové bundě.
Žena s culíkem a hlavami čeká na přechodu.
Skupina mužů jde po ulici ve městě.
Pouliční umělec vedle sebe s mnoha sloupy.
Skupina lidí v černém stojí na molu poblíž dlouhé budovy.
Muž nese několik pokrýva.
Muž středního věku sedí a hraje na akordeon.
Dívka s zelenými rukami, kravatami a v uších stojí venku.
Mladá dívka v růžovém triku běží na pláži k oceánu.
Skateboardista v černém triku a džínách bruslí ve městě.
Muž v bundě fotí velkou budovu.
Lidé na straně fotbalového zápasu.
Na této fotce je mnoho rodinách a čtyři po rušné ulici ve městě.
Skupina lidí jde po ulici na slunci.
Pouliční umělec se zastavila s několika lidmi včetně muže, který má na sobě hnědou bundu a sluneční brýle.
Nějací rostliny u okna.
Tento hráč v modré helmě se skloněnou do pálkou a právě odpálil míček během baseballového utkání.
Žena ve zlatém kabátě pláče, aby chytil metro.
Nějací lidé sedí na lavičkách pod řadami stromů před budovou.
Muž v obleku sedí na autobusové zastávce.
Afroameričan obklopený prázdnými bílými kyblíky a tmavou bednou bednou kosticími na ledě.
Mladá brunetka jí a pije něco.
Muž v obleku a klobouku hraje na kytaru na ulici.
Žena v červené vestě pracuje na počítači.
Lidé stojí kolem vodu, kouří kouře do obličeje.
Muž v koupelně používá zrcadlovou kravatu.
Několik jedinců si hraje u několika jedinců, zatímco je šťastný dav sedí a poslouchá.
Dva mladí muži jedou na velmi malém koni tažených pytlů.
Žena v šatech jde po ulici kolem staveniště.
Rodař v obchodě si kupuje zákazníkovi, zatímco si kupuje zákazník aby si uli.
Muž ve slunečních brýlích řídí stavební vůz a vyjíždí štěrk na zemi.
Miminko si hraje s hračkami a dívá se na černo-bílé kočku.
Dospívající dívka nese kytaru v lese.
Muž s batohem jde po ulici.
Dva muži si povídají před obchodem s oblečením.
Žena v černém drží něco v puse.
Skupina lidí sedí venku okolo malého stolu, krátkých stolů.
Muž jede na kole nahoru po rampě.
Žena v černém tílku a náhrdelníku hledí do dálky poblíž západu slunce.
Tři mladé dívky spolu jdou po chodníku.
Žena s dlouhými vlasy je na svou obřadu.
Muž jede na skateboardu po silnici, zatímco jiný muž se dívá z chodníku.
Muž v černé kožené bundě stojí před nápisem.
Muž a žena zpívají venku píseň.
Mladá dívka s kudrnatými vlasy a bílými tílky leží v trávě a drží květinu.
Mladá žena hraje fotbal v zelených uniformách se protahuje.
Žena vystupuje z rampy na veřejném prostranství za žlutou páskou.
Muž se krčí, zatímco dělá holub, zatímco ho holub v pozadí.
Skupina mužů stojí na poli černých míčů.
Rušný den na místním kurtu v místním městě.
Muž s cigaretou v puse opravuje talíř s jídlem.
Dvě skupiny plavců se brodí.
Lidé sedí na lavičce v městském náměstí s předmětem, včetně lampy a šaty, zatímco stojí poblíž.
Stavební dělníci jsou obklopení díru s kbelíkem.
Muž bez trička v černých šortkách stojí na kamenitém břehu velké vodní plochy.
strážník je venku a dívá se, zatímco se na modě.
Lidé hrají kulečník, jeden muž v modré košili a další žena jsou na hlavě a má na hlavě fotoaparát.
Lidé stojí před sochou obklopené vodou.
Žena se dívá, zatímco muž s rozkrovýma rukama mluví.
Muž středního věku v bílých šortkách a žabkách se dívá nahoru po silnici.
Dva muži v tmavých oranžových zakrývácích a sandálech stojí u velké sochy.
Dva lidé se baví v jejich lodi.
Muž a žena stojí na ulici ve městě.
Hasiči se vynořují z stanice metra.
Čtyři muži, tři muži, kteří mají na sobě žičky, sedí na modré čepici, jsou na modré podložce.
Toto je velký skupina lidí, kteří sedí venku na lavičkách.
Muž v červeném triku jde kolem tyrkysové sochy a bílé kostkovaného obchodu s 2012.
Kuchaři předvádí nějaký druh oper.
Starší muž s cigaretou v puse a kšiltovce kontroluje svůj foťák.
Malá orchestr si hraje s otevřenými housle před výlohou.
Muž v červeném obleku tancuje s ženou.
Dva lidé se dívají v noci ve světly ve městě.
Dva motokrosové v ochranném oblečení, jeden ve vzduchu, druhý se dívá dolů po své motorce.
Několik mužů v oranžovém se shromažďuje na venkovní akci.
Dvě mladé dívky běží po chodníku před cihlovou budovou s prapory.
Dvě osoby lezou po strmé hoře.
Dítě leží na zemi vedle kočáru.
Pes táhne muže a žena.
Mnoho lidí na trhu se dívá na různé věci.
Dva mladí muži hrají na elektrické kytary na pódiu.
Potetovaný muž lije pivo z lahve do mladého muže.
Dva lidé stojí venku vedle nafukovacích hraček a popelnice.
Čtyři lidé jedou na kole po cestě poblíž rušné ulice.
Žena v růžovém triku a s brýlemi.
Žena v červeném triku zvedá ruku, aby mohla za ním prochází dav pod ním.
Chlapec v bílých šortkách skáče do jezera nebo řeky.
Malá dívka se dívá skrz dalekohled na pláži.
Několik stavebních dělníků v oranžových bezpečnostních vestách kope do země.
Člověk v kapuci stojí před budovou.
Stavební dělníci sbírající proti PMAC.
Muž jede na koni s dalšími muži, kteří dělají stejným mužem za ním.
Afroameričan jde po ulici.
Dva štěšci pózují pro fotku.
Žena s neonovými sluchátky píše ve notebooku.
Žena v zeleném triku telefonuje.
Malé africké dítě nese mladší dítě na zádech.
Skupina lidí sedí na židlích.
Člověk v šátku stojí na ulici před svým věcm.
Orientální člověk v červeném triku a černých kalhotách se krčí přes betonovou kabelku.
Černý pes a hnědý pes s míčem.
Muž s černou vestou drží model letadla.
Muž na poli s letadlem pozoruje letadlo.
Muž v obleku a kravatě a žena s kufrem, kteří čekají v Londýně v Londýně, zatímco ostatní v Londýně v Londýně Uukoládě.
Dítě jde po chodníku s několika americkými vlajkami.
Černý pes běží po zelené trávě s hračkou v puse.
Orientální cyklista čeká, zatímco jeho se otáčí na mrakování.
Pes se otáčí na trávě, aby chytil míč.
Skupina studentů sedí a poslouchá si.
Lidé jedou na skútrech po ulici v noci.
Velký šedý muž na kole na palubě a muž.
Muž v oranžovém triku a blonďatý chlapec jedou s jinými lidmi na "Camolovém vozidle."
Mladý muž a žena poblíž velké kovové sochy.
lodi s červeno-bílo-modrém přístavu na molu.
Muž v černé čepici fotí v rušné ulici.
Muž stojí na rušné ulici a dívá se na hlavu.
Žena v černých šatech má malou dívku ve žlutých šatech na ramenou.
Skupina lidí na ulici připravuje hudební nástroje.
Jezdec spadlý motocyklista je u jiného.
Tři lidé jdou po horské stezce, zatímco jedna žena se dívá na kameru.
Několik Asiatů v černém oblečení v nějakém typu stanice.
Žena v červené sukni jde po ulici s graffiti v pozadí.
Gymnastka v modrorůžovém oblečení předvádí stuhu.
Lidé se chladí z fontány, žena v bílých šatech sedí na kraji a dívá se.
Muž sedí na lavičce pod velkým stromem.
Tři muži v červenobílých pruhovaných košilích, bílých kalhotách a černých kloboucích drží vlajky.
Lidé obdivují pracovní umění.
Budi asijského obchodního obchodníka s papíry a obchody.
Tito lidé lezou po schodech ke hoře.
Malé dítě v modrém oblečení se dívá na nějaké stromy v dálce.
Lidé se dívají na děti v obchodě s hračkami.
Muž v klobouku hraje na buben na ulici.
Chlapec stojí se třemi dívky.
Usmívající se muž s batohem drží před klukem v brýlích.
Čtyři muži jsou venku a dívají se přes zelený most.
Žena relaxuje na ručníku před lidmi, kteří si užívají modrou vodu.
Dospělý ovčák následuje za běžícím ovčákem.
Pohled na obchod s jídlem, které jsou zasledována v chladi a flinu města.
Afroameričan protestuje proti neděnémuxu.
Policista na kole čeká na světlo.
Skupina mužů sedí okolo stolu.
Skupina třídých lidí včetně starších mužů mají nápoji v parku.
Žena mluví s kamarádkou, zatímco pes jde venku na slunci.
Mladý muž v šedém a černém triku a bílé čelence.
Dva lidé jedou na motorce podél dalších dalších cyklistů.
Dvě ženy ve vojenské uniformě stojí s ostatními vojáky v omaci.
Tři dívky se usmívají na fotku.
Žena v černých brýlích a žlutém svetru se dívá, zatímco sedí na béžové lavičce.
Červenovlasý muž pije vodu ze fontány.
Dva muži a žena jdou po ulici ve městě.
Muž středního věku s červenými vlasy a brýlemi drží miminko.
Mladý chlapec v červeném klobouku jede na koni.
Dva chlapci si hrají na chodníku.
Malá dívka v černém plavkách drží lopatu na pláži.
Starý muž v klobouku a bundě sedí na gauči.
Dva chlapci se dívají na oblohu a mávají rukama a jsou oblečeni v letním oblečení.
Mladý pár sedí na chodníku a relaxují spolu.
Mladík v triku a kravatě se krčí a dává znak míru.
Tři lidé sedí u stolu venku Beeee.
Kluk v černém triku a červeném zápravu visí vzhůru nohama, zatímco ostatní lidé se dívají.
Muž jde před barevnou nástěnnou malbou.
Mladý muž jde s dalším mladým mužem na zádech na tři dívky právě rozdělována.
Muž uměluje palmu uvnitř zabavné kavárny.
Pět lidí jde nahoru po schodech u ženy v růžovém triku a hnědé sukni.
Skupina lidí na venkovním trhu ovoce.
Dva chlapci jedí obědy na venkovním sedadle obklopené několika dalšími lidmi.
Žena v džínové bundě jde po chodníku.
Muž řídí čtyři vozidla s čtyřmi pasažéry, kteří jedou na straně a muž sedí na zádech.
Muž v tyrkysovém triku čte noviny.
Chlapec v kočárku má na sobě zelené triko a drží knihu.
Dvě děti sedí u strany, zatímco jí obou stranách.
Lidé jedou na kole po ulici, všichni v helmách.
Dav lidí jede na kolech.
Muž sedí na nástupišti s kolem, které je tažený mrzem.
Muž na kole šlape skrz jezd.
Barevně oblečený mladý muž, který je oblečen viděné lyžaři, sedí a kouří cigaretu.
Dva muži v oblecích pod deštníkem a před graffiti.
Starý muž v bílé košili jede na kole po ulici.
Muž na koni se pokouší chytit lano mladého býka.
Kovboj se snaží chytit tele, zatímco jede na koni.
Dva cyklisté v helmách jedou kolem nějakého prázdného pole.
Muž se opírá o něco z pytle.
Muž v motorovém vozíku jede vedle sebe v parku.
Člověk s tetováním se dívá na fotku na digitální fotku nebo mobil.
Muž v černém triku a džínách stojí na chodníku a dívá se do kamery.
Chlapec a dívka spolu stojí na chodníku a dívají se na předmět.
Několik lidí v modrém křičí a jeden v sukni a černé blůze.
Žena a pes sedí na bílé lavičce poblíž pláže.
Dvě ženy jdou po hlíně před velkou budovou.
Skupina mužů a dítě v bílých tričkách stojí na silnici.
Žena oblečená v černém a nese černou tašku na chodníku.
Skupina mužů sedí okolo stolu a baví se.
Malíř na straně budovy.
Asiat v rukavicích pracuje u stánku s jídlem.
Žena sedí u stolu a pracuje na svém počítači.
Člověk se dívá na počítač na stole s telefonem a boxem.
Muž sedí na židli a sleduje lidi, kteří se procházejí.
Dva lidé v kloboucích stojí na poli a ochrádují se k kládi.
Nějací skáčou přes vysokou tyč v Baru.
Muž v botách a kovbojském klobouku sedí na koni, zatímco diváci sedí v pozadí.
Dvě mladé dívky sedí na ulici a jedí kukuřici.
Tři děti v fotbalových uniformách hrají fotbal na fotbalovém hřišti, zatímco další hráč stojí v pozadí.
Malé dítě s špinavým obličejem je držena starou ženou.
Muž s brýlemi se dívá do objektivu, zatímco jiný muž v modrém triku se dívá na něco.
Dva lidé sedí pod stromem a sbírá zelenou zeleninou.
Mladý chlapec v modré čepici se dívá skrz dalekohled, zatímco ho jiný chlapec pozoruje.
Tři muži vaří v malé kuchyni.
Mladá dívka v šedé kombinéze lyžuje na zasněžené hoře.
Skupina vesláků se shromáždila v tančících.
Muž a žena třídí prádlo s lankami.
Mladá dívka sedí na dřevěné židli.
Dva pracovníci sváří barety plotu poblíž rušné ulice.
Dlouhovlasý mladý muž skateboarduje na zábradlí za zamračeného dne.
Dva muži na venkovním trhu odhazuje sníh a z cesty.
Muž v bílém triku hraje na bílou kytaru.
Mladá dívka ukazuje své kamarádovi, jak používat zpozné kameru.
Malý chlapec skáče z mola do jezera.
Žena s zelenou maskou na zuby a vypadá velmi nadšeně.
Muž v oranžové bundě a modré čepici leze na zasněženou horu.
Malá blonďatá dívka si hraje a cáká v bahně.
Dítě jede na kole po uličce s graffiti.
Gymnasta je na akci.
Lidé jdou po ulici s prodavačkou.
Muž oblečený v tradičních šatech, který vypadá jako oblečení, stojí vedle svého hrnku, na kterém je vidět tlavné látky.
Dvě děti si hrají na kole.
Dva muži na opačných týmů hrají fotbal na hřišti.
Muž skáče a pózuje pro fotografů ležící na zemi.
Dívka pije nápoj ze fontány.
Výselelný kusy vody během svého vodu.
Muž v laboratorním plášti se dívá skrz mikroskop.
Blonďatá dívka spí na hnědém gauči.
Muž zametá chodník před cihlovou budovou během dne.
Tři muži vaří v kuchyni.
Muž na lešení před domem se usmívá a pózuje pro fotografa.
Dvě dívky v šortkách se drží za ruce v bazénu.
Čtyři asijské děti sedí na lavičce a mávají do objektivu.
Děti jedou na kolech v něčem, co vypadá, že vypadá že vypadá jako lét.
Mladý chlapec v šéfkuchařské čepici a zástěře krájí v kuchyni.
Toto je klauna na kladní škole.
Usmívající se loďka drží kolo své dřevěné lodi.
Žlutý býk pracuje na hlíně.
Žena v červeném triku jede podél stromů na bílém koni.
Žena sedí na velmi velkém kameni a usmívá se na kameru s stromy v pozadí.
Tři muži v jasně barevných kostýmech se nechávají na ulici s parukami a slunečními brýlemi.
Dívka si hraje v malém bazénu.
Dvě děti, chlapec ve žlutém triku a dívka v modro-bílém pruhovaném, se houpe.
Muž hází rybářskou síť do hladu.
Muž v šedém triku, modrých džínách a neonově zelené bezpečnostní vestě stojí na železniční trati s bílým autem v pozadí.
Dva stavební dělníci leží na kusu kovového kladu.
Je tam kapela na pódiu s členy kapely v modrém.
Horolezec v tričku zpívá do mikrofonu, zatímco hraje na bubny.
Muž dává své věci z nákupního vozíku, aby se podívali, aby se podíval.
Muž s holí jde po schodech.
Žena v bílém triku pracuje na stroji.
Dívka v masce jede na ramenou muže na přeplněném chodníku.
Dvě dívky, jedna starší a jedna v černo-černé a druhá v bílém, předvádějící míč před dekoranými balónky.
Několik žen předvádí tanec před budovou.
Plešatý muž jde po chodníku ve městě a telefonuje.
Žena si hraje s prstem, zatímco malé dítě v kostýmu prochází kolem.
Skupina lidí sleduje mladého muže, kteří hrají na bubny a používá na kladní nástroje.
Dívka bez trička a s chrániči bruslí na kolečkových bruslích.
Malé bílé auto je ve vlaku na železniční trati a možná možná nesa jako vlak za ním.
Dva rockisté zpívají a hrají na tmavém pódiu.
Dívka v baseballové čepici, bílém triku a modrých šortkách stojí na skále do zalesněného kopce.
Dva muži hrají na kytaru před velkým publikem.
Mnoho lidí tancuje se svými nápisy před velkým domem.
Žena a pes prodávají své zboží na starém schodech venku.
Žena a dva muži, kteří jsou oblečeni v profesionální, mají diskuzi.
Skupina mužů v červenočernéch bundách čeká na motorkách.
Muž oblečený v bílé uniformě s číslem 3 na něm hrají fotbal.
Muž prodává svači na sportovní akci.
Dva muži z zeleného týmu se sráží protihráče z černého týmu při hře rugby.
Děti závodí s kopou na míči.
Člověk v modrém je na osobě a hází míč na bowlingové dráze.
Několik fotbalistů na hřišti.
Mladý muž sedí na skateboardu a drží mobil a pózuje na eskalátoru.
Žena v modrém běží maraton.
Tato kapela se připravuje na vystoupení před publikem v kostele.
8 s číslem 118 Ieeeeeee "MMMMAA" se pokouší zastit.
Dva muži, kteří jsou na ledě, zametá chodník před kasem, zatímco se malý dav dívá.
Muži hrají fotbal na bahnitém hřišti.
Basketbalista v bílém dřepí, zatímco hráč v červeném se pohybuje k němu.
Lidé jdou skrz štěšku ve starém městě.
Dvě závodní auta, jedna v červeno-modré, jedou po boku po závodní dráze, zatímco se na něj dívají několik diváků.
Fotbalista v bílém dresu drží fotbalový míč.
Velmi mladý chlapec se dívá do malého předmětu.
Žena a dítě jdou po ulici.
Hokejový zápas probíhá s hodně lidí, kteří se dívají.
Tři ženy skáčou na trávě na míčích.
Afroameričan v modrých šortkách a červené košili hraje tenis.
Muž a žena v bílých tričkách se objímají.
Muž, který mluví s rodinou, drží nějaké zařízení, zatímco se na ní dívá a usmívá se.
Malý chlapec v zeleném triku leží obličejem na bílé posteli.
Cyklista se zastavili, aby mohli zastřizit slunce v pozadí.
Žena se slunečním oblečením dívá na oblohu v zasněžené oblasti.
Čtyři dívky a žena se učí, jak si vytát nějaké věci.
Muž v černobílém pruhovaném se snaží zastavit koně.
Muž fotí ženu v modrém triku, která je za ním.
Žena s červenými vlasy je kluboko modrou vodou.
Dva mladí chlapci pózují s štěně pro rodinu.
Čtyři děti trénují karate, zatímco se dva dospělí dívají.
Muž relaxuje na červeném gauči v nábytku.
Skupina lidí mluvících u stolů.
Dva koně závodí na koních, jeden v modré kostkované a červené a druhý v oranžové a hnědé a hnědé, zápasí proti rozmazaným pozadí.
Červené auto je před dvěma auty v pozadí.
Velký býk natáčí muže, který je na rodeu od rodea s rohem, zatímco mu pomáhá na rodeo klauna.
Muž bez trička jde směrem ke žlutém kajaku.
Kluk střílí z pistole a střílí.
Dva týmy chlapců hrají fotbal v písku.
Dítě v modré a dítě v bílém stojí na nízké betonové zdi u potoka.
Žena maluje květinovou vzor na hliněném hrnku.
Lidé jdou po rušné ulici v cizí zemi.
Děžené děždní nadhazovače hází nad nad nadhazuje.
Dva muži, jeden v černo-bílém a druhý v červeném, hrají volejbal.
Muž stojí na lodi a drží nějaké sítě.
Surfař, který na surfu z oceánu, se pokouší sjet vlnu.
Amerika připravuje šampu v laboratoři.
Fotbalisté skáčou do vzduchu aby trefil míč s jejich hlavami.
Dva chlapci hrají fotbal proti sobě.
Starší člověk přechází ulici s deštníkem v rukou.
Skupina běžců běží směrem k dvěma policitickými oblohy.
Skateboardista jede na betonové zdi blízko padáku, zatímco se pokouší trik.
Lidé hrají hru v bazénu.
Muž dává pusu, aby se jít muže.
Muž s nápisem Frafonfononuje mladý chlapec knihu.
Mladý muž v modrém triku sjíždí zábradlí na skateboardu v městské oblasti.
Asijský muž sedí na trati s bednkami.
Aishský muž oblečený v plné vojáků, který mává na klobouk, v pozadí sedí lidé a dívají se do vody.
Dvě auta jedou po závodní dráze.
Muž v černo-bílém dresu drží žlutou tyč a připravuje se dobrátky.
Dva lidé leží a líbají se na travnaté trávě.
Velmi mladé dítě v džínové kšiltovce jí zelenou jablko.
Fotbalisté běží k míči.
Muž v černé bundě a kostkovaném klobouku hraje na elektrickou kytaru na pódiu s jiným zpěvákem v pozadí.
Muž skáče přes překážku od býka.
Žena v modrém triku a bílých šortkách hraje tenis.
Muž hraje na koncertě na koncertě.
Muž nese velkou na rameni kovových trubníků na ramenů.
Žena s kamerou hází frisbee pro svého hnědého hnědého psa, aby chytil.
Je zde z ledě muže a žena, kteří se dívají na svoje kovovou věc.
Dvě dívky jedí ruce ve fontáně, zatímco lidé prochází kolem.
Mokrý usmívající se dítě bez trika pózuje s rukama.
Dva muži, jeden v bílém a druhý v modré, zápasí.
Žena v červených bikinách skáče do míče, zatímco hraje volejbal na pláži.
Oranžová dívka kouše blondou dívku na nose.
Žena, která má na sobě žluté zástěře, odpočívá z velkého hrnce.
Dvě děti přechází malou bronku pomocí kamenného mostu.
Dvě africké ženy jedou na mopedu na ulici ve městě, které vypadá že je v dobře dobře velké oblasti.
Dva chlapci před sodem.
Jezdec na kole v černém jede po prašné cestě v horách.
Žena s tetováním fotí obraz s jejím Čítem.
Žena v černém oblečení a bílé helmě jede na kole s rozmazanými stromy v pozadí.
Tým cyklistů se ohýbá, zatímco diváci fandí a fotí.
Čtyři fotbalisté v černém sráží protihráče, hráč v bílém, zatímco je v dešti.
Běžec křičí na dvorku, zatímco je následována ohrátky.
Basketbalista v bílém dresu s číslem 505 na okraji hráče v černém dresu s číslem 111.
Muž telefonuje venku.
Baseballový hráč chytá baseballový zápas během hry, jak se dívá na protihráče.
Cyklista se otáčí v lese během podzim.
Tři basketbalisté v červeném dresu se snaží získat míč od muže v bílém dresu.
Chlapec chytá nohu, zatímco skáče do vzduchu.
Dvě děti v pruhovaných svetrech a černých kalhotách se přetahují venku u hraček.
Muž ve slunečních brýlích jede na koloběžce.
Malý chlapec v baseballovém dresu drží pásku za hlavou s baseballovou hlavou před ním.
Šest mužů sedí na poli s dřevěnými bedny.
Hnědý pes sbírá na kamenné ploše.
Tento je muž ve žlutém drží cizího koně.
Muž v bílém triku a zástěře krájí ptáka.
Žena venku používá kuchařskou ženu.
Běžec závodí na městské ulici s dalšími lidmi kolem.
Asiatka ve slunečním klobouku jede na kole.
Nějaké děti si hrají venku v hlíně, kde jsou dva stromy.
Starší muž hraje videohru.
Dívka na břehu pláže s horou v dálce.
