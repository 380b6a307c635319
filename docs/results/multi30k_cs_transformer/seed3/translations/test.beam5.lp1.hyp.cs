Muž v oranžové čepici něco zírá.
Bosérka běží na zelené trávě před bílým plotem.
Dívka v karate uniformě si dává klacek před kopou.
Pět lidí v zimních bundách a helmách stojí ve sněhu s sněhem v pozadí.
Lidé opravují střechu domu.
Muž ve světle zbarveném oblečení fotí skupinu mužů v tmavých oblecích a kloboucích, kteří stojí okolo ženy v tervených šatech.
Skupina lidí stojí předigem.
Chlapec v červeném dresu se pokouší na domácí metě, zatímco chytač v modrém dresu ho chytit.
Muž pracuje na budově.
Muž v vestě sedí na židli a drží magazíny.
Matka a její píseň si užívá nádherný den.
Muži hrají volejbal, jeden z nich z nichž hráčkahuje míč, ale má ruce do vzduchu.
Žena drží mísu jídla v kuchyni.
Muž sedí a používá nástroje u stolu v domácím domě.
Tři lidé sedí v podnici.
Dívka v džínových šatech jde po kladině.
Blonďatý chlapec drží za ruce s mužem v písku.
Žena v šedém svetru a černé kšiltovce stojí v řadě v obchodě.
Člověk v pruhovaném triku leze po hoře.
Dva muži, kteří jsou předstí, aby se podívali, zatímco žena dívají.
Lidé stojí před budovou.
Teenager hraje na trumpetu na hřišti.
Žena dělá salto na trampolíně na pláži.
Muž stojí u skupiny videohry v baru.
Žena používá vrtačku, zatímco jiný muž fotí.
Žena v růžovém svetru a zástěře čistí stůl spongem.
Muž řeže větev stromů.
Skupina asijských chlapců čeká na maso, aby peče maso přes gril.
Ženy v tradičním oblečení jsou na domorodní vesty.
Jeden muž drží hlavu jiného muže a připravuje se do obličeje do obličeje.
Šest lidí jede na horském kole skrz dždinu.
Dvě blonďaté dívky sedí na římse na přeplněném náměstí.
Dítě cáká ve vodě.
Tři lidé sedí u piknikového stolu před budovou, která je pomalovaný pytl.
Tři chlapci stojí na molu ve svých plavkách.
Zaměstnanec podává tašku, zatímco si prohlíží ryby na pouličním trhu.
Krásná žena si hraje na hararfických tarf.
Zatímco se dívá na svůj stráž na kameru za plotem.
Mladá žena se dívá na pizzu.
Muž bez trička v šortkách rybaří, zatímco stojí na nějakých kamenech.
Dívka v záchranné vestě plave ve vodě.
Muž v uniformě a muž v modré košili stojí před dodávkou.
Lidé sedí uvnitř vlaku.
Dítě se houpe s nohama ve vzduchu v lese.
Muž v červeném triku vstupuje do podnici.
Dva muži v plavkách skáčou do vzduchu na čeré pláži.
Batole vaří s dalším člověkem.
Otec a dvě děti pracují venku a pracují na zahradě a používají rostliny na květinu.
Muž vaří jídlo na sporáku.
Muž v džínách na pláži si hraje s červeným míčem.
Lidé jdou po chodníku vedle řady obchodů.
Jezdec na wakeboardu předvádí salto, zatímco je na vysokou rychlostí.
Velká skupina lidí naplňuje ulici.
Muž na jmenovku jde do vody.
Žena v džínách jde kolem autobusu s hvězou ženou, která se dívá přes sluneční brýle.
Muž v růžovém triku sedí v trávě a míčkem ve vzduchu.
Auto zaparkovaný na pláži.
Dva muži v černém oblečení ve městě.
Muž ve žlutých kalhotách zvedá ruce.
Dva muži v kloboucích používají tyče a jdou kolem vody během slunečného slunce.
Tým roztleskávaček předvádí sestavu na židlích.
Chlapec hraje dámu s dospělým z pohledu, zatímco se dívka dívá.
Dav lidí se baví na veřejnosti v parku.
Muž sedí na lavičce a drží svého psa a dívá se na vodu.
Chlapec a jeho mladší bratr si spolu hrají na hřišti.
Žena v modré kožené bundě sedí na lavičce během slunečného dne a prochází lidé.
Hnědý pes stojí na písečné pláži.
Žena sedí s košíkem plným látky, obklopenou.
Muž griluje na zahradě.
Žena zpívá v klubu s kytaristou za ní.
Tenista hraje v noci na červenou kytaru.
Dítě sedí na zahradní židli a dívá se do objektivu.
Dvě ženy a tři muži se dívají na oceán.
Pouliční umělec s housle hraje na ulici, zatímco žena s modrou kytaru se dívá.
Mladá dívka plave v bazénu.
Několik dětí se připravuje venku, aby si hrát.
Tři teenageři v metru si hrají.
Hnědý pes jde po trávě s vyplazeným jazykem.
Lidé sedí na trávě před budovou a dávají si pauzu.
Muž bez trička hledí z dálky, zatímco tři ženy prochází kolem kavárny.
Dva mladí chlapci dávají ovoce na kole.
Muž v černém tričku, kšiltovce a džínách hraje na bubny na žlutém skútru.
Mladá žena maluje obrázek ženy na zdi.
Dvě členky týmu týmu Asi předvádí vysoký skok mezi dvěma členy dalších ženů.
Muž míchá hrn tekutinu v té této kuchyni.
Chlapec wakeboarduje na jezeře.
Muž pracuje na hotdogu.
Velká skupina lidí venku různé školy a tarmani sedí venku.
Blonďatá žena lije nápoj na baru.
Malé dítě v modrobílém tričku se šťastně drží žlutou plastovou plastovou plastovou plastovou.
Žena s růžovými vlasy oblečená v černém mluví s mužem.
Muž v japonském obleku připravuje jídlo pro dvě lidi.
Dívka skáče přes řeku z kamene.
Dělník s nářadím klečí vedle dvou žen.
Starší muž otevírá své široce a dívá se dobračky.
Dítě v bílém karate cvičí pohyb.
Tři muži ve stejných vestách jsou venku.
Žena fotí dítě v růžovém klobouku, zatímco muž nese.
Skupina šesti asijských dětí sedí v modrých židlích.
Mladý chlapec v fotbalovém dresu brečí do své palmy.
Šťastná žena připravuje v kavárně s regy.
Stavební dělník řídí těžké vybavení na staveništi.
Žena běží po softballovém softballu, žena chytá své nohy.
Muž v pracovním dresu míjí nástroje k dalším člověkem.
Skupina lidí leze po studeném počasí.
Horský horolezec se chystá dolů po hoře s modrou helmou.
Muž dělá stojku na kulaté soše.
Dítě sedí v restauraci u stolu a drží papírový obličej.
Hnědý pes se brodí do jezera, aby zapravil klacek.
Matka učí dvě mladé chlapci ryby ze skalnatého pobřeží do vody.
Malé dítě jde vedle červených praporů.
Dívka sedí na kostkovaném kole s mladším chlapcem, zatímco jiná dívka fotí.
Černý pes myje míč ve vodě.
Muž v bílých kalhotách a modrém triku kope do žlutého krabici.
Dva Indové se účastní obřadu.
Kluk s luškou v nose a píší na ruce stojí v obchodě s videohem.
Dvě osoby pádlují na kánoi na oceánu během západu slunce.
Lidé stojí v přeplněném metru a nástupišti je vidět vidět v okně.
Muž s ohněm v ruce.
Dva hnědí psi běží sněhem.
Jedna obrázek malých kapely vystupují na divočině.
Miminko v vánočním oblečení se dívá na kameru.
Muž sedí vedle počítačového monitoru.
Tato dáma má vtiti a směje se.
Lidé v budově, jeden fotí.
Čtyři bílí psi s náhubky skáčou přes červenou zeď.
Žena v modrém triku drží dítě.
Dva lidé sedí na rybářských židlích na pláži ve vodě.
Stará žena pracuje na tkalcovském stroji.
Chlapec stojí v popředí a dívá se na ostatní lidi na hřišti.
Muž v modré bundě si bere mladého chlapce, který mu po rameni.
Tři hnědí psi skáčou na ženu v modrém.
Chlapec visí z taxíku a prochází se z okna.
Muž v šedém triku skáče přes vrchol písečné duny v poušti.
Dítě ve žlutém triku skáče nahoru a dolů.
Dělník ve žluté bundě je zpředá vysoko na budově.
Muž v buďském obleku mluví k mladému dospělých.
Skupina pivem piva táhne v baru se vánočními světly na stropu.
Muž jede po útesu přes oceán.
Muž v černém jde ke svému náklaďáku ve sněhu.
Baxer skáče po míči.
Policista v kšiltovce a námořnické uniformě se usmívá venku ve slunečních brýlích.
Rodina se prochází v parku.
Muž v zelené přilbě a žluté bezpečnostní vestě se mračí.
Dítě s růžovými provázky tančí na hlavě obklopena zmety, balónky.
Pes s nosem se nechává o něco na řece.
Muž připravuje své místní zboží ve dne.
Muž v červeném triku se chystá jídit jízdu.
Mladá žena v bílém drží tenisovou raketu.
Chlapec v červeném tričku kope do písku se žlutým lopatkem.
Člověk v růžové bundě na dřevěné lavičce.
Muž v bílém triku se dívá z okna kovové budovy.
Žena drží malou bílou sochu.
Šest dětí bez trika si hrají ve venkovské vodě a cáká se.
Dva lidé jedou na kolech skrz horu.
Dívka skáče přes provaz na chodníku poblíž garáže.
Muž v oranžovém triku a helmě.
Malý chlapec si hraje s plastovými kostkami, auty a zvíře s dospělým poblíž se dívá.
Malá dívka otevírá vánoční dárek.
Žena v modrém obsluhuje foťák před dvěma dalšími ženy.
Malá dívka se snaží udržet na hliněném gauči.
Hnědý a černý pes běží po stezce v lese.
Dva psi si hrají u stromu.
Zatímco jde v černém kabátě a kalhotách na schodech, se soustředí do fotoaparátu na psa.
Dva muži v zelené připravují jídlo v restauraci.
Muž oblečený v černém koženém klobouku a kovbojském klobouku jde kolem Reeeeeeee.
Pes běží venku se žlutou hračkou.
Pes, který má na sobě tlušku běží ve sněhu.
Rodina si hraje na pláži se svým psem.
Žena a dítě se objímají, zatímco se dítě píší.
Dva muži a žena stojí venku.
Skupina mužů používá klády k lodi z vody.
Muž pije z vína a čte noviny.
Muž v celém černém a hraje na piano.
Mladý chlapec v modrém dresu a žlutých šortkách hraje fotbal.
Muž stojí na kamenné stavbě s rukama jako pták.
Pes pije vodu venku na trávě.
Dvě ženy v tílkách se dívají na kameru.
Muž sedí v holičkové židli a připravuje se na holí.
Malé dítě v zelených botách si hraje v bahnité kaluži.
Muž používá motorovou pilu, aby vystřezli pilu.
Muž sedí u piknikového stolu s tácem a částečně je částečně před ním.
Chlapec v černém triku a modrých džínách drží červenou pálkou.
Tmavovlasý muž v brýlích a havajské košili sedí na trávě.
Pes běží na psí dráze.
Světle světlý muž s kmenovým tetováním na balkóně přeskakuje balkónu.
Dva Německý ovčák se na sebe chrá.
Tato skupina lidí stojí na nějaké akci.
Hnědobílý pes chytá hračku.
Muž s bílými vlasy hraje na akordeon uprostřed nějakých budov.
Žena s hnědými vlasy sedí na lavičce před kavárnou.
Muž vedle kola hraje na flétnu.
Dvě děti balancuje na kládě a drží provaz.
Muž na motorce předvádí trik na trati.
Mladá žena s fialovou látkou se schovává o obličej na dřevěné verandě.
Žena v hnědém triku sedí na jasně červené lavičce.
Pes jde po kládě přes malou řeku.
Mladý muž v bílém tričku a zelených šortkách stojí na pařezu.
Skupina lidí je zakrytá deštníky.
Muž jede na kole s obrovským nápisem.
Muž hází kládu do vody, zatímco dva psi se dívají.
Skupina starších muzikantů hraje na nástroje pod stanem u vody.
Pohled na rušnou ulici ve městě.
Mladá blondýnka drží bílé lano za slunečného dne.
Dva lidé v modrých tričkách jsou venku s býkem.
Černý pes běží do bazénu.
Kovboj jede vzadu na divokém závodě.
Posádka pracuje údržby na železniční trati.
Pracovník v oranžové vestě používá lopatu.
Dva dělníci mají diskuzi, zatímco pracují na staveništi.
Tři muži jdou nahoru po kopci.
Asijská žena v květinových šatech pózuje na mostě blízko jejího družičky.
Mladý muž se přetahují o kytaru v kuchyni.
Tři chlapci si hrají s hračkou a kbelíky vody.
Tři stavební dělníci jedou na chodníku.
Lidé v lese vedle káno.
Skupina sborů se shromáždila v kostele.
Skupina mladých dospívajících skáče v noci a dělají karate pro kameru.
Dva muži jedou na kajaku, jeden v oranžovém, jeden z nich je dolů po řece.
Dva pracovníci rozdělávají cement na cihlové budově.
Žena v červeném svetru a džínách sedí s rukama na levé kole.
Dva umělci dávají na trochodu, který se dívá na publikum.
KIch relaxuje a čeká na letišti.
Muž ve žluté bundě se naklání o oheň, chlapec v parku sleduje.
Muž a chlapec na kamenné pláži.
Žena na lodi s nápisem "Sda" v černém sáží do vody.
Chlapec sedí na a dívá se z mikroskopu.
Mladá boska v růžových šatech skáče venku.
Mnoho lidí sedí venku kolem stanu.
Mladík v černém triku s nápisem "Cafiiisii" hraje na buben a hraje na buben.
Muž prodává věci poblíž silnice na kraji zasněžené hory.
Dívka ve žlutém se směje na dívku, která má na sobě oranžovou, je pozoruje dívku v modrém.
Pes skáče přes překážku venku.
Pes s černým obojkem se válí na špinavé listí.
Dva hnědí psi si hrají v divokém ohnku.
Muž s knírem a vousy drží pána, který má plameny.
Muž, který má na sobě reamotní oblečení, je projenován k ringu.
Muž v černém triku rybaří na kamenném pobřeží.
Dva psi se spolu baví na nose nose.
Dva muži se zastavili na chodníku, zatímco projíždí kolem.
Muž sedí a čeká na zákazníky.
Závodní auta s školním autobusem za nimi.
Dvě ženy v podobných tričkách jdou doleva.
Mladé dítě v oranžové záchranné vestě drží vodomodrém kajaku ve vodě.
Lidé jdou po stezce v parku plném stromů.
Tři mladí dospělí mluví v davu lidí, žena se dívají nahoru.
Žena a dítě před dveřmi s jejich domácím domem.
Černý muž a jeho dva přáteli dávají na hlavu blízko sebe.
Dívka v maskáčových kalhotách sedí na vrcholu Husu.
Světle hnědý pes běží nahoru.
Chlapec pózuje s velkým zelenými v nosem.
Plešatý muž, který skáče vysoko a černý pes skáče.
Dav na rušné ulici.
Chrti s náhubkem má na sobě žlutočerný pes běží po trati.
Muž v sandálech sedí na chodníku poblíž nějakých pytlů.
Muž a žena sedí na metě a povídají si.
Dítě se dívá na kafe uvnitř obchodu.
Muž pije z žlutého kelímku kolem lidí na rušné akci.
Chlapec se opírá o auto s květinami na kapotě.
Žena v květinových šatech mluví s dětmi před dodávkou.
Muž na svém svatební den.
Mladá žena v černém triku a džínách zametá.
Žena s kloboukem leze po útesu poblíž velkého množství vody.
Velký černý pudl běží po trávě s hračkou v tlamě.
Chlapec v šortkách dělá trik na skateboardu.
Malý chlapec v červených kalhotách stojí na ulici.
Žena píše na svém mobilu, zatímco je obklopena deštníky.
Osm mužů hraje na nástroje na pódiu s kytaristým světlem.
Muž v oranžové kombinéze a ochranné přilbě pomáhá s modrou hadicí.
Muž a dvě dívky ukazují rybu, zatímco drží rybářský prut před vodou.
Muž v červeném triku se dívá na psa na překážkové dráze.
Chlapec v červenobílých plavkách skáče dozadu v krásném bazénu.
Asijská žena míchá vlasy na zádech.
Starší žena a malé dítě v růžovém triku si hrají s barevnými kostkami.
Malý černý pes skáče přes bránou.
Hnědovlasý muž v zeleném triku hraje na trumpetu.
Muž mluví do telefonu s nohama.
Skupina dětí sedí na modré podložce, zatímco jí z mísy.
Černý chlapec sedí v písku.
Malý pes sleduje dva velké psy, jak si hrají na poli.
Lidé sedí v kruhu před velkou budovou.
Jeden pes skáče, aby chytil míček, zatímco druhý přihlíží.
Blonďaté dítě se houpe na houpačce.
Jeden muž a dvě ženy mají diskuzi přes bílé víno.
Asiat vaří venku jídlo.
Hnědý pes se chystá chytit zelené frisbee.
Skupina fandí kapelu, zatímco hraje píseň.
Mladý chlapec stojí vedle písečné sochy pyramidu.
Tři malé děti jdou po travnatém dvorku.
Muž nakupuje umění, které je na vozíku.
Muž na kole jede na hoře.
Chlapec s modrými a žlutými kozačkami běží po hlíně.
Žena v oranžové bundě sedí na lavičce.
Muž dělá trik na skateboardu.
Muž v uniformě bojového umění ve vzduchu.
Žena prodává tašky ovoce na chodníku.
Dva fotbalové týmy jsou na hřišti.
Dítě v modrém triku skáče z lavičky.
Brankář ve žlutém poli ochranné gól.
Skupina mladých lidí se fotí v mexu.
Mladý muž skateboarduje z růžového zábradlí.
Mladý chlapec skáče z posteli na malé posteli.
Dva lidé ve zvláštních kostýmech podobných kostýmech, jeden z modré a fialové stojí na silnici.
Muž, který běží v modrém triku s číslem čís.
Asijský dělník v továrně pózuje na kameru.
Muž, který vypadá, že běží maraton, ukazuje 2 palec nahoru.
Basketbalista střílí o gól během hry.
Fotbalista v oranžovém dresu se usmívá a drží fotbalový míč.
Dva skateboardisté se skateboardují z kulatého zatáčky, zatímco se ostatní dívají.
Tým v bílém a zlatém na straně fotbalového hřiště.
Malá dívka tlačí své koloběžce přes travnaté pole.
Skupina asijských dětí oblečených v bílých tričkách a čepicích vystupuje s davem, kteří se dívají.
Chodci jdou po ulici a dívá se na dítě v kartonové krabici.
Hnědý pes běží po písečné pláži.
Dva muži v vojenské uniformě stojí vedle ženy.
Deaaafiiisi připojení části části během konverzavního auta a Isi vlajkami.
Cyklista skáče přes překážku.
Pár sedí v bílých židlích a usmívá se na kameru.
Malé děti jsou na malém vlaku.
Surfař v modrých plavkách jede na vlnách.
Chlapec skáče do svého fotbalového brata.
Dva mladí muži na opačných fotbalových týmů soupeří k míči na fotbalovém hřišti.
Lidé jdou po dlážděném svahu obklopený čínskými prodejci.
Mladý chlapec v bílých kalhotách skáče z gauče.
Chlapec v oranžovém triku lije Legonu z tašky.
Žena v hnědých sandálech a modrých džínách v bílém triku drží dítě pod vysokým stromem.
Tři lidé se usmívají a drží cedule.
Policista stojí vedle auta na městské ulici.
Dva muži v kloboucích.
Chlapec ve vzduchu se snaží kopnout do fotbalového míče.
Mladý chlapec s modrou čepicí má hlavu.
Zrzavá muž s dredy sedí a hraje na akustickou kytaru.
Muž jí sendvič s dcerou na klíně.
Afroamerické dítě drží něco, které jsou vyfoceno.
Žena řídí dav lidí s ledouky.
Zákazníci v uniformě se dívají, zatímco se na policista ukazuje a muž v obleku drží ovoce.
Dav prezentuje na baru.
Dívka v bílém a dívka v zeleném jdou kolem modré stanice.
Muž používá elektronický stroj.
Člověk surfuje na vlně v oceánu.
Voják zkoumá něco.
Nevěsta a ženich se líbají pod nevěstou.
Rozhodčí stojí v pozadí, zatímco mladý muž s červenou šálou zakrývá obličej.
Černo-bílý pes skáče přes strokoko na soutěži.
Žena ve svetru si čte knihu v domácím domě.
Několik dospívajících se dívá přes zábradlí v tmavé místnosti.
Muž v bílém triku začíná vylézt po skále.
Náctiletý chlapec se protahuje v kuchyni a je vidění části pračky.
Lidé drží různé druhy bicích nad různými bubny.
Tři farmářky vyklezují rýže na poli.
Dvě ženy a muž se dívají na knihu.
Tři děti se houpá o nohy, zatímco stojí poblíž rozbitové provázky.
Kuchař pózuje pro fotku, zatímco vaří.
Mnoho lidí na ulici protestuje pomocí rostliny v prostřednicích.
Náctiletý skáče na kopec se svým kolem.
Malá dívka běží na pobřeží pláže.
Bílá kachna krájí křídou ve vodě.
Dva muži, kteří se baví, zatímco stojí před nákladním autem, za nimi jsou další lidé, zatímco kolem nich stojí.
Žena v růžové sukni drží miminko.
Hokejista ve žlutém dresu přetáčí gól.
Muž jde kolem velkého nápisu, na které je napsáno "DDDo."
Tři chlapci v zelených tričkách a béžových kalhotách pózují na vrcholu skluzavky.
Muž tancuje se psem mezi nohama.
Bílý pes běží v mělké vodě.
Samotka pochodujících pochoduje s kapelou.
Skupina dětí si spolu hrají na oploceném dvoře, zatímco dospělý přihlíží.
Skupina žen hraje na hudební nástroje.
Malá dívka ve fialových kostkovaných šatech leží na podlaze.
Muž s šedými vlasy si holí vousy.
Dva černí psi, černé štěně a bílý pes ve sněhu.
Muž v basketbalovém dresu skáče na střelu.
Žena sedí před domem s modrými dveřmi a užívá si do vzduchu.
Děti sedí na muži v obleku na banánu.
Šedobílý pes skáče přes vodu v písku.
Dav shromážděno v parku kolem vodní fontány v dešti.
Několik starších mužů, někteří v tradičních šatech na rohu ulice.
Mladý pes se dívá na psa ve sněhu.
Fotbalista ve zlatém dresu blokuje míč od protihráče.
Žena v černém triku plete s fialovou přílezkou.
Čtyři asiatky ve zlatých šatech předvádí míč.
Člověk hraje na jediný nástroj.
Dívka v černém oblečení s číslem 1201 běží přes trávu.
Dítě přechází běžce s číslem 93.
Starší pán a mladá dívka začíná spolu práci na zmateně.
Kameramanka natáčí mladého chlapce ve žlutém triku.
Ulice osvětleného mostu s cyklistou a nějakými auty.
Muž jede na býkovi na býkovi.
Chlapec skáče k odpalu tenisový míč se raketou.
Děti se dívají na zeď, zatímco se dva další lidé dívají.
Lidé, kteří se prochází nemotní kempu s palmami v pozadí.
Malá dívka kope do černého věc na karate.
Dva muži se snaží udržovat vodu na chodníku z pneumatiky.
Dva muži tančí breakdance, v davu se dívá.
Profesionální žena stojí na pódiu a o něčem diskutují.
Žena leží na gauči a směje se.
Terénní podlahy se nechává u bílé a jedna žena.
Záda skáče přes plot.
Tři psi si spolu hrají na poli.
Dvě malé děti jsou na písku.
Usmívající se mladý chlapec si hraje v listí mezi kachnami.
Tito čtyři lidé stojí venku s třemi psy.
Zatímco navštěvuje Matu, průvod průvod průvod průvod průvodem ukazuje v směru na výtu.
Dívka, která má na sobě triko s otevřenou pusou.
Dospívající skupina vyplňuje vodu v poušti.
Muž stojí na městské ulici.
Ptátka ptáků letí od jídla v jejich s jídlem.
Dva muži jedou na farmě přistává, zatímco vede svůj náklad.
Dva lidé stojí na vrcholu hory.
Mladá dívka si užívá, zatímco dělá sportovní anděl.
Tři muži se usmívají na kameru a ukazují se ze svého hrnku.
Člověk píše na tabuli v prázdné třídě.
Muž v černém triku sedí u stolu s otevřeným laptopem před ním.
Čtyři lidé odpočívají na travnatém kopci s výhledem na kamenné údolí.
Chlapec s skateboardem skáče do vzduchu podél nějakých zábradlí.
Muž v oranžovém triku hraje tenis.
Pes s červeným obojkem medvědí zuby na psa s modrým obojkem.
Chlapec si užívá venkovní den.
Dělník v oranžovém pracovním obleku klečí a kontroluje stroj.
Muži v kovbojských kloboucích stojí na rodeu.
Dva psi jsou ve sněhu a jeden má něco v puse.
Zaměstnanec si dává pauzu od práce, aby mohli nápoji.
Béžový pes běží za bílým psem a drží žlutou hračku.
Hokejista v bílém dresu s klackem.
Muž v bílém triku s zlatou hodinkou si hraje s kruhem.
Černý kůň se natahuje přes hlavu přes plot a snaží se po trávě.
Posádka je před předvázenýma rukama, aby se rozkráděla, zatímco kouří.
Dva muži a dívka se smějí.
Dítě se naklání nad vystavenou modrou a žlutou plastovou plastovou plastovou, zatímco dospělý přihlíží.
Černý pes jde na sněžném míčku na sněhu.
Mladá dívka stojí vedle žluté kočky na kuchyňském pultu.
Dvě děti si hrají na hřišti.
Tenistka v zeleném pruhovaném triku drží ruku do pusy.
Chlapec v červeném obleku si hraje ve vodě.
Dítě v červené bundě a čepici drží velký kus sněhu.
Dva policisté v oranžových bundách stojí před bílým stanem s diváky.
Dva lidé stojí vedle stromu na zemi.
Dva muži sedí u kamenné budovy.
Bruneta s brýlemi drží blonďaté dítě v červeném svetru a žlutých botách.
Černobílý pes si hraje s bílým míčem.
Dva lidé se líbají na chodníku před lidmi, kteří jdou kolem.
Žena hraje volejbal.
Dva velcí psi bojují na prašném poli.
Hnědý pes skáče přes překážku.
Muž v pruhovaném triku kouří cigaretu na ulici.
Malá dívka drží malého chlapce na klíně.
Muž se pokouší na jízdě velmi býku na krásném dni.
Děti bojující se o schrát.
Cyklista se opírá o horu kolem se ohýbá na prašné dráze.
Dva lidé a vodní krávu na domácím domě.
Mladý chlapec se učí, jak jede na kole se svým otcem.
Kluk v červeném triku a černých šortkách zametá chodník.
Africká rodina stojí před nějakými vozími.
Muž hraje na nástroj vedle stromu.
Dvě ženy drží za ruce nad stolem a usmívají se na kameru.
Muž venčí hnědého psa na trávě.
Baseballový hráč v černém tričku právě hodil hráče v bílém triku.
Žena drží velkou dámu pro děti Foooooo.
Dva psi, jeden s tenisovým míčkem v puse, běží vysokou trávou.
Dva dospělí a dvě děti sedí na lavičce v parku.
Žena v travnatém poli fouká na tandandu.
Muž prodává brambor k skupině lidí.
Skupina lidí na ulici se shromáždila, aby mohli na akordeon.
Muž sedí na lavičce a dává si iPod.
Starý muž v pruhovaném oblečení čte noviny v metru.
Starší muž v brýlích připravuje maso.
Muž předvádí trik na kole, zatímco stojí na šlape na šlape nahoru.
Muž na pláži dělá písečnou sochu.
Několik lidí v parku jí u piknikového stolu.
Dvě ženy jsou ohnuté ke stromu na nějaké stavbě.
Kovboj v rodeu se snaží 888.
Pes skáče přes překážku.
Obézná žena s dlouhými černými vlasy v růžovém triku s jmenovkou leží na žátku.
Muž opravuje malou holčičku kola.
Dvě dívky v chuských sukních tancují před nějakými hudebními nástroji na ulici.
Žlutý pes nese klacek u vody.
Dívka ve svetru blokuje slunce.
Horolezec si dává na místě.
Tři ženy v jasných barvách a čelových šatech drží obyšnici.
Hnědý pes hrabe v hlíně.
Mladý chlapec v bílé košili a čelence drží tenisovou raketu.
Dva psi běží od kamery v lese.
Dívka si hraje v kašně plné látky.
Tři mladí zápasníci stojí a poslouchají sekeru.
Dva turisté zkoumají klády vedle lesa.
Tři hráči chytají protihráče na zem.
Dva chlapci přechází ulici ve městě, zatímco kope do červeného fotbalového míče.
Muž drží jiného s zády.
Bílý pes na kraji hory se otáčí na něco, v pozadí je oblohy.
Chlapec jede na skateboardu na skateboardu na skateboardu.
Dlouhovlasý muž hraje na piano.
Tři atleti drží kytici a stojí na venkovním pódiu.
Dvě plošiny v červených šatech.
Mladý chlapec visí na stojanu na stojanu.
Malá dívka v růžovém drží tyč.
Muž v zeleném skáče několik motorek na své motorce.
Žena si hraje s dvěma mladými chlapci v parku.
Čtyři lidé hrají fotbal na pláži.
Dvě dospívající dívky se objímají, jedna má helmu, s cyklisty v pozadí.
Dva středně velcí psi běží sněhem.
Žena stojí na zeleném poli a drží bílý pes a ukazuje do hnědého psa.
stolem plným obrázky v rámech na venkovním trhu.
Dva lidé sedí u stolu u zdi a dělají obličeje.
Dva muži s piercingy se usmívají.
Dítě leží na béžovém koberci a směje se.
Muž a žena sedí s rukama a všichni oblečení.
Dvě ženy zápasí v dětském bazénu.
Muž v bílém triku jde s pitím v ruce.
Dva lidé jsou proti jezera s odrazem namalované oblohu.
Několik lidí sedí u stolu ve formálním oblečení.
Dvě dívky (xy v modrém a jedna v růžovém, závodí na kolečkových bruslích.
Čtyři lidé sedí na hromadě kamenů.
Skupina lidí dělá triky na motorce.
Cyklista v závodní výstroji jede lesem.
Muž v zeleném triku jde po pláži a nese si boty.
Několik mužů stojících kolem vojeního auta.
Dva muži pracují pod kapotou bílého závodního auta.
Děti skáčou z kraje bazénu.
Muž na okraji zdi se chystá na podzim.
Žena v pruhovaném oblečení na kole.
Dívka oblečená v černém pózuje na kameru.
Muž v šortkách stojí u vody.
Čtyři černí muži sedí na schodech v kostele.
jeřábu obsluhuje hromady suu.
Gymnasta v červeno-bílém je uprostřed stahného baru.
Starší dáma v zeleném svetru sbírá zeleninu.
Dva muži vyrábí věci v dílně s nástroji.
Učitelka v bílém a malá dívka ve žlutých šatech si hraje s kostkovanou budovou.
Malé dítě spí v posteli s otevřenou knihou na hrudi.
Žena jí v trávě během krásného dne.
Muž jde po dlážděné ulici vedle kamenné budovy s červenými stojany.
Žena v klobouku s chléb.
Osamocený žena používá velkou hladinu a chutá sádku, aby mohli na poli.
Muž v karate předvádí před dvěma policity.
Muž ve formálním oblečení hraje na piano na chodníku ve městě.
Starší muž sedí na židli a jí nějaké svači.
Žena v bílém triku pracuje za pultem v kavárně.
Muž v pracovním oblečení stojí na zadním autě.
Dvě děti se dívají na koně skrz malou plot.
Pohledem nějakého druhu na pomalovaný design.
Žena v jasně růžovém skáče přes obličej, zatímco žena ve fialovém stojí venku, zatímco stojí venku.
Kovboj zabalená rukou s kapelou.
Muž ve žlutém triku a muž v tmavě modrém triku mluví.
Tři asijské děti sedí na gauči s páskou páskami v pozadí.
Dívka v červeném triku skáče do vzduchu, aby chytil tenisový míč.
Muž pózuje s zelenou jeřábem.
Muž si dává láhev s dalším člověkem, zatímco se usmívá v restauraci.
Muž nakládá krabici s mnoha peřejy.
Muž v černé bundě hraje na kytaru ve veřejném prostranství.
Skupina tančících v průvodu.
Muž stojí na kamenném útesu a dívá se na vodu.
Policisté sledují ženu z autobusu.
Dva policisté středního věku sledují parkoviště v noci.
Dva muži v modrých tričkách se dívají na fotbalový zápas.
Skupina mužů v modrých uniformách stojí spolu.
Mladá žena dělá jógu na pláži.
Velký dav lidí stojí v parku a několik lidí hraje na hudební nástroje.
Muž s balónkem z balónků dělá zvířata.
Muž griluje maso na venkovním grilu.
Dva muži prodávají ovoce na trhu.
Bruneta v bílých bikinách lije nápoj do pána.
Chlapec ve slunečních brýlích běží za pouti.
Lé ruce drží něco, co vypadá, že je umývázaný kládu.
Muž v kostkované košili ukazuje černé židle.
Dva muži v bílých plastových židlích sedí ve dveřích.
Mladá dívka v červených šatech má na sobě černou kovbojský klobouk.
Muž v červeno-bílé fotbalové uniformě stojí na hřišti a skáče ve frontě se žlutým míčem.
Lidé skáčou přes hory na provaz.
Lidé se dívají na účastní účastníci v maratonu.
Lidé na laptopech před velkým oknem.
DJ na rušném chodníku pracuje zasvícenými světly.
Muž v rukavicích nese kukuřici na poli.
Fotograf fotí zrcadla v kavárně.
Žena drží balónky na akci.
Žena sedí v klenici v oploceném prostoru s kočkami a dvěma těškami.
Žena sedí u cihlové zdi uvnitř budovy.
Tři mladé ženy spolu sedí na červených židlích.
Žena v modrém triku jde vesnici.
Šest dětí, které sedí na schodech s ledami a vovkami.
Béžový pes si hraje s klackem na pobřeží.
Dva psi se baví, zatímco třetí pes má jazyk.
Dítě na motorce se usmívá.
Čtyři lidé jsou shromážděni kolem jí velké večeři.
Santantní Santa Santa Clause je vyfocen na skovní akci.
Vojáci pochodují skrz New York v dešti.
Žena v modré helmě a červených kalhotách jede na motorce.
Několik mužů v uniformách bojových umění, zatímco někteří předvádí pohyby.
Mladá žena a muž v oblečení oblečení oblečení si řížá s skupinou lidí v pozadí.
Muž v uniformě jde po ulici se dvěma auty a stromy.
Mladá žena leze po skalní stěně.
Starší muž ve světle modré bundě pracuje na autě na kraji silnice.
Lidé se dívají přes několik barevných kus papíru na stole.
Muž zpívá a hraje na kytaru do mikrofonu.
Dva muži sedí v restauraci.
Dvě ženy v šortkách běží po pláži podél vody.
Stavební dělníci mají diskuzi u cesty.
Pohled shora na ledě těsto, který je muž v černé zástěře a bílé zástěře, stojí uprostřed baseballového stolu.
Skupina lidí si hraje na předmět.
Malá dívka v modrém oblečení leze po kovové zábradlí na ulici.
Skupina mužů sedí a mluví za nějakými zeleným ovocem.
Muž ve žlutém oblečení stojí za mikrofonem pod stanem.
Hnědý pes s fialovým frisbee v tlamě.
Muž, který vypadá jako bojová umění, jak trénuje bojového umění, zatímco se dívá na vodu.
Žena s nápoji a žena s telefonem.
Dítě v červeném kabátě mává ruku ve vzduchu, zatímco leží ve sněhu vedle červených plastových sáňkách.
Žena sedí vedle své kabelky a dívá se na psy v parku.
Tři muži stojí na pódiu, jeden má klauna a drží kytaru.
Žena pokládá rostliny v kmenovém vesu.
Žena v červených šatech tancuje s mužem v obleku.
Dva malí psi následuje velkého psa s tenisovým míčkem.
Muž s hustými vousy a baseballovou čepicí sedí na lavičce v parku.
Afroameričan stojí na zahradě s lesem v pozadí.
Mladá dívka se snaží polízit kozu.
Asiaté sedí v restauraci se žlutými židlemi.
Miminko jí sušenku, zatímco sedí v dětské židli a má na sobě bry.
Šedovlasý muž v černých rukavicích se pohybuje na trávníku.
Žena čte knihu, zatímco sedí ve řadě červených židlích.
Dítě oblečené jako jede na ramenou ženy.
Rodina jde po chodníku skrz sníh, zatímco muž sedí na straně s papírem.
kočka sedí na vrchu obchodu s nápisem.
Muž v růžové košili a černé bundě se sluchátky.
Mladý muž se chystá hodit fotbalový míč.
Muž a dívka jdou po cestě.
Žena s růžovými vlasy jde po chodníku a drží růžový psy.
Muž v obleku drží nápoj a jde po chodníku vedle autobusu.
Muž skáče s kamenem v pozadí.
Člověk v červené bundě s černými kalhoty drží hračku.
Žena si dává ruku na člověka sedící na vozíku.
Muž v bílé zástěře něco vaří s vajíčky na pánvce venku před ženou v béžové bundě.
Žena s mobilem a hlavami čekají na přechodu.
Skupina mužů jde po městské ulici.
Prašnice vedleajímaviště s mnoha sloupy.
Skupina lidí v černém stojí na molu poblíž dlouhé budovy.
Muž nesoucí několik tašek piva.
Muž středního věku sedí a hraje na akordeon.
Dívka v zelené sukni, s vlasy, kravatě a ušichni stojí venku.
Mladá dívka v růžovém tričku běží na pláži směrem k oceánu.
Skateboardista v černém tričku a džínách bruslí ve městě.
Muž v bundě fotí velkou budovu.
Lidé na straně fotbalového zápasu.
Na této fotce je rodina, která je čtyři z nichž přes rušnou ulici ve městě.
Skupina lidí jde po ulici ve slunci.
Pouliční lampa s několika lidmi včetně muže, který má na sobě hnědou bundu a sluneční brýle.
Nějací rostliny jsou blízko okna.
Tento hráč v modré helmě se chystá odpálit pálkou a právě odpálil míč během baseballového utkání.
Žena ve zlatém kabátě pláče, aby chytil metro.
Nějací lidé sedí na lavičkách pod řadami stromů před budovou.
Muž v obleku sedí na autobusové zastávce.
Afroameričan obklopený prázdným bílým kýblem, bílým kýblem a barevnou bedenou přepravou rukou.
Mladá brunetka jí a pije.
Muž v obleku a čepici hraje na ulici na kytaru.
Žena v červené vestě pracuje na počítači.
Lidé, kteří stojí kolem sebe, kouří se do obličeje.
Muž používá zrcadlo, aby si kravatě.
Šťastné lidé si hrají u několika jednotlivců, zatímco je šťastný dav sedí a poslouchá.
Dva mladí muži jedou na velmi malém koni plném pytlů.
Žena v šatech jde po ulici kolem staveniště.
Výšník v obchodě s zákazníkem si kupuje zákazník a jeho zákazi.
Muž se slunečními brýlemi operuje na stavbě a vykaluje štěrk na zemi.
Miminko si hraje s hračkami a dívá se na černobílou kočku.
Dospívající dívka nese kytaru v lese.
Muž s batohem jde po ulici.
Dva muži se baví před obchodem s alkoholem v Aa.
Žena v černém drží něco v tlamě.
Skupina lidí sedí venku kolem malého stolu.
Muž jede na svém kole po rampě.
Žena v černém tílku a s náhrdelníkem hledí do dálky poblíž západu slunce.
Tři mladé dívky jdou spolu po chodníku.
Žena s dlouhými vlasy je na oslačním obřadu.
Muž skateboarduje na silnici, zatímco jiný muž se dívá z chodníku.
Muž v černé kožené bundě stojí před cedulí.
Muž a žena spolu zpívají venku.
Mladá dívka s kudrnatými vlasy a v bílém topu leží na trávě a drží květinu.
Mladá žena v zelených uniformách se protahuje.
Žena vybíhá na metě ve veřejném prostranství za žlutou páskou páskou pás.
Muž se krčí a dělá holuba v pozadí.
Skupina mužů stojí na poli černých míčů.
Rušný den na místním hřišti ve městě.
Muž s cigaretou v puse opravuje talíř s jídlem.
Dvě plavci se brodí.
Lidé sedí na lavičce na městském náměstí s předmětem, včetnětně včetně lampy a šaty stojí poblíž.
Stavební dělníci obklopení díru s kbelíkem.
Muž bez trička v černých šortkách stojí na kamenitém břehu velké vodní plochy.
strážník se dívá na mraci.
Lidé si hrají, jeden muž v modrém triku a další žena v modrém triku, které jsou na rameni s fotoaparátem.
Lidé stojí před sochou obklopen vodou.
Žena se dívá na muže s skládacím rukama, který mluví.
Muž středního věku v bílých šortkách a žabkách se dívá nahoru po silnici.
Dva muži v tmavě oranžových oblecích a sandálech stojí u velké sochy.
Dva lidé se baví na své lodi.
Muž a žena stojí na ulici ve městě.
Hasiči se vynořují z stanice metra.
Čtyři muži, tři z nich mají čepice, sedí na modro-bílé podložce.
Tato je velký skupina lidí sedících venku na lavičkách.
Muž v červeném triku jde kolem tyrkysové a kostkovaného podpravy s jídlem s číslem 20 Ne.
Doktor předvádí nějaký druh operví.
Starší muž s cigaretou v puse a kšiltovce kontroluje svůj foťák.
Malá orchestr si hraje s otevřenými housle před výlohou.
Muž v červeném obleku tancuje s ženou.
Dva lidé se dívají v noci na světly ve městě.
Dva motokrosové cyklisté v ochranném vybavení, jeden ve vzduchu a druhý se dívá dolů po své motorce.
Několik mužů oblečených v oranžovém se shromažďuje na venkovní akci.
Dvě mladé dívky běží po chodníku před cihlovou budovou s prapory.
Dva lidé lezou po strmé hoře.
Dítě leží na zemi vedle kočárku.
Pes tahá muže a ženu.
Spousta lidí na trhu se dívá na různé věci.
Dva mladí muži hrají na elektrickou kytaru na pódiu.
Potetovaný muž lije pivo z láhve do mladého muže v puse.
Dva lidé stojí venku vedle nafukovací hračky a popelnice.
Čtyři lidé jedou na kole po cestě poblíž rušné ulice.
Žena v růžovém triku a brýlích.
Žena v červeném triku zvedá ruku, aby mohli pro dav pod ním.
Chlapec v bílých šortkách skáče do jezera nebo řeky.
Malá dívka se dívá skrz dalekohled na pláži.
Několik stavebních dělníků s oranžovými vestami kope do země.
Člověk v kapuci stojí před budovou.
Stavební dělníci sbírá proti Petu PMerasu Pis.
Muž jede na koni s dalšími muži, kteří dělají stejným mužem za ním.
Afroameričan jde po ulici.
Dvě žáři pózují na fotku.
Žena s neonovými sluchátky píše do notebooku.
Žena v zeleném triku mluví do telefonu.
Malé africké dítě nese mladší dítě na zádech.
Skupina lidí sedí na židlích.
Člověk v šátku stojí na ulici před věcí.
Orientální člověk v červeném triku a černých kalhotách se krčí přes kabelku.
Černý pes a hnědý pes s míčem.
Muž v černé vestě drží model letadla.
Muž na poli s letadlem v pozadí.
Muž v obleku a kravatě a žena s zavazadly v Londýně čekají v Londýně.
Dítě jde po chodníku s několika americkými vlajkami.
Černý pes běží po zelené trávě s hračkou v puse.
Orientální cestu čeká na svůj svou branku.
Pes se otáčí na trávě, aby chytil míč.
Skupina studentů sedí a poslouchá mluví.
Lidé jedou na skútrech v noci po ulici.
Velký šedými palubě a muž na kole.
Muž v oranžovém triku a blonďatý chlapec jedou na zádech s dalšími lidmi na "daldo".
Mladý muž a žena poblíž velké kovové sochy.
loď s červeno-modrém molem na molu.
Muž v černém klobouku fotí v rušné ulici.
Muž stojí na rušné ulici a dívá se na hlavu.
Žena v černých má malou holčičku ve žlutých šatech na ramenou.
Skupina lidí na ulici připravuje na hudební nástroje.
spadlý motorkář je u jiného.
Tři lidé jdou po horské stezce, jedna žena se dívá na kameru.
Několik Asiatů v černém oblečení na nějakém nádraží.
Žena v červené sukni jde po ulici s graffiti v pozadí.
Gymnastka v modrorůžovém oblečení předvádí stuhu.
Lidé chladi ve fontáně, žena v bílých šatech sedí na kraji a dívají se na něj.
Muž sedí na lavičce pod velkým stromem.
Tři muži v červenobílých košilích, bílých kalhotách a černých čepicích drží vlajky.
Lidé obdivují práci umění.
Pouliční asijat v obchodním obchodním domě s papíry a výjenkami.
Tito lidé lezou po schodech na horu.
Malé dítě v modrém oblečení se dívá na nějaké stromy v dálce.
Lidé se dívají na děti v obchodě s hračkami.
Muž v klobouku hraje na buben na ulici.
Chlapec stojí se třemi dívky.
Usmívající se muž, který má batoh, drží svůj půs před klukem v brýlích.
Čtyři muži jsou venku a dívají se přes zelenou most.
Žena odpočívá na ručníku před lidmi, kteří si užívají modrou vodu.
Dospělý ovčák běží za ovčákem, zatímco běží za ním.
Několik nakupujících a krabi jídla, které jsou vidět, že je vidět v městském městě.
Afričanský afroamerický muž protestují proti nezdému.
Policista na kole čeká na světlo.
Skupina mužů sedí okolo stolu.
V parku třídá skupina lidí, včetně starších mužů pije nápoj.
Žena mluví s kamarádkou, zatímco pes chodí venku za slunečného dne.
Mladý muž v šedočerné košili a bílé čelence.
Dva lidé jedou na motorce s mnoha dalšími jezdci.
Dvě ženy ve vojenské uniformě stojí s dalšími vojáky v formace.
Tři dívky se usmívají na fotku.
Dáma v černých barevných brýlích a žlutém svetru se dívá zřejmě, zatímco sedí na béžové lavičce pokryté lavičce.
Červenovlasý muž pije z fontány jako žena.
Dva muži a žena jdou po městské ulici.
Muž středního věku s červenými vlasy a brýlemi drží dítě.
Mladý chlapec v červeném klobouku jede na koni.
Dva chlapci si hrají na chodníku.
Malá dívka v černých plavkách drží lopatu na pláži.
Starý muž v klobouku a kabátu sedí na gauči.
Dva chlapci se dívají nahoru na oblohu a mávají rukama a jsou v teplém oblečení.
Mladý pár sedí na chodníku a relaxuje.
Mladík v košili a kravatě se krčí a ukazuje znak míru.
Tři lidé sedí u stolu před nápisem Baawiii.
Chlapec v černém triku a červené zápěvce visí vzhůru nohama, zatímco ostatní lidé se dívají.
Muž jde kolem barevné nástěnné malby.
Mladý muž, který jde s dalším mladým mužem, zatímco tři dívky právě hodil kolem.
Muž zahrabuje palmy na terase v kavárně.
Pět lidí jde nahoru po schodech u ženy v růžové košili a hnědé sukni.
Skupina lidí na venkovním trhu ovoce.
Dva chlapci jí obědvají ve venkovním křeslem obklopeni dalšími lidmi v McDonaldu.
Žena v džínové bundě jde po chodníku.
Muž jede na terénním kole s čtyři pasažéry, zatímco jede na straně a muž sedí na zádech.
Muž v tyrkysovém triku čte noviny.
Chlapec v kočárku má na sobě zelenou košili a drží knihu.
Dvě děti sedí u strany, zatímco jí odbrán.
Lidé jedou na kolech na ulici, všichni jsou oblečeni v helmách.
Dav lidí jede na kolech.
Muž sedí na nástupišti s kolem a je tažen úzký chu.
Muž na kole šlape skrz oblouk.
Barevně oblečený muž s chrániči sedí a kouří cigaretu.
Dva muži v oblecích pod deštníkem a před graffiti.
Starý muž s špinavým tričkem jede na kole po ulici.
Muž na koni se snaží chytit provaz malého býka.
Kovboj se pokouší chytit laně, zatímco jede na koni.
Dva cyklisté v helmách jedou kolem prázdného pole.
Muž se opírá o něco tahá z tašky.
Muž v motorovém vozíku jede u chladného parku v parku.
Člověk s tetováním se dívá na fotku na digitální foťák nebo mobil.
Muž v černém triku a džínách stojí na chodníku a dívá se na kameru.
Chlapec a dívka stojí společně na chodníku a dívají se na předmět.
Několik lidí v modrém křičí a jeden v sukni a černé blůze.
Žena a pes sedí na bílé lavičce blízko pláže.
Dvě ženy jdou po hlíně před velkou budovou.
Skupina mužů a dítě v bílých tričkách stojí na silnici.
Žena oblečená v černém a nese černou tašku na chodníku.
Skupina mužů sedí okolo stolu a povídají si.
nástěnné malby budovy.
Asiat v rukavicích pracuje u stánku s jídlem.
Žena sedí u stolu a pracuje na svém počítači.
Člověk se dívá na počítačový stůl s telefonem a krabici.
Muž sedí na židli a sleduje lidi se procházejí.
Dva lidé v kloboucích stojí na poli a chystají se nakrát.
Několik skákajících vysoko v Bolonu.
Muž v botách a kovbojském klobouku sedí na koni, který skáče, zatímco diváci sedí ve stoje.
Dvě mladé dívky sedí na ulici a jí kukuřici.
Tři děti v fotbalových uniformách hrají fotbal na fotbalovém hřišti, zatímco další hráč v pozadí stojí.
Malé dítě s špinavým obličejem je držena starou ženou.
Muž s brýlemi se dívá na kameru, zatímco jiný muž v modrém triku se dívá na něco dívá.
Dva lidé sedí pod stromem a sbírá zelenou zeleninu.
Mladý chlapec v modré čepici se dívá skrz dalekohled, zatímco ho jiný chlapec sleduje.
Tři muži vaří v malém kuchyni.
Mladá dívka v šedé kombinéze lyžuje na zasněžené hoře.
Skupina vesnicích žen se shromáždila v tanci.
Muž a žena třídí pračky se suxy.
Mladá dívka sedí na dřevěné židli.
Dva pracovníci sváří zábradlí poblíž rušné ulice.
Dlouhovlasý mladý muž skateboarduje na zábradlí za mračného dne.
Na venkovním trhu jsou dva muži odhrabává sníh a vykládky z cesty.
Muž v bílém triku hraje na bílou kytaru.
Mladá dívka ukazuje své přáteli, jak používat kostila svůj foťák.
Malý chlapec skáče z mola do jezera.
Žena se zelenou maskou na osamotě a právě vystřezit velmi neště.
Muž v oranžové bundě a modré čepici leze na zasněženou horu.
Malá blonďatá dívka si hraje a cáká v bláno.
Dítě jede na kole po uličce s graffiti.
Gymnasta je polét na akci.
Lidé jdou po ulici s prodavačem.
Muž v tradičních šatech, který vypadá jako oděvu, stojí vedle svého hrnku, který je ubrádě.
Dvě děti si hrají na kole.
Dva muži na opačných týmech hrají fotbal na hřišti.
Muž skáče a pózuje pro fotografa ležící na zemi.
Dívka pije z fontány.
Čínský kus vody během svého výkladu.
Muž v laboratorním plášti se dívá skrz mikroskop.
Blonďatá dívka spí na hnědém gauči.
Muž zametá chodník před cihlovou budovou během dne.
Tři muži vaří v kuchyni.
Muž na lešení před domem se usmívá a pózuje pro fotografa.
Dvě dívky v šortkách drží za ruce v bazénu.
Čtyři asijské děti sedí na lavičce a usmívají se do objektivu.
Děti jedou na kolech v něčem, co vypadá, že se zdá být chladit.
Mladý chlapec, který má na sobě kuchařskou čepici a zástěře, krájí v kuchyni.
Toto je klauna ve škole.
Usmívající se loďka drží kolo své dřevěné lodi.
Žlutý býk pracuje na hlíně.
Žena v červeném triku jede na bílém koni, který jede podél stromů.
Žena sedí na velmi velké skále a usmívá se na kameru se stromy v pozadí.
Tři muži v pestře barevných kostýmech se baví na ulici s parukami a slunečními brýlemi.
Dívka si hraje v malém bazénu.
Dvě děti, chlapec ve žlutém triku a dívka v modro-bílém pruhovaném tričku se houpe.
Muž hází rybářskou síť do přístavu.
Muž v šedém triku, modrých džínách a neonově zelené bezpečnostní vestě stojí na železniční trati s bílým autem v pozadí.
Dva stavební dělníci leží na kus kovu přes kladu.
Kapela je na pódiu s členy v modrých kapele.
Horolezec se svým trikem zpívá do mikrofonu, zatímco hraje na bubny.
Je zde muž dává své věci z nákupního vozíku, aby se připraveni na prodej.
Muž s holí jde po schodech.
Žena v bílém triku pracuje na stroji.
Dívka v masce jede na ramenou skrz rušnou chodník.
Dvě dívky, jedna starší a mladší v černém a druhý v bílém, předvádí míč před zdobenými balónky z ozdoby.
Několik žen předvádí tanec před budovou.
Plešatý muž jde po městském chodníku, zatímco telefonuje.
Žena si hraje s prstem, zatímco malé dítě v kostýmu prochází kolem.
Skupina lidí sleduje mladého muže, kteří hrají na bubny, zatímco používá isový nástroj.
Dívka bez trička a chrániči bruslí na kolečkových bruslích.
Malé bílé auto je na železniční trati a možná zprávy nebo možná je za ním.
Dva rockci zpívají a hrají si na tmavém pódiu.
Dívka v baseballové čepici, bílém tričku a modrých šortkách stojí na kameni v zalesněném lese.
Dva muži hrají na kytaru před velkým obecenstvem.
Mnoho lidí tancuje s jejich nápisy před velkým domem.
Žena a pes prodávají své zboží na starých schodech venku.
Žena a dva muži, kteří jsou oblečeni, mají diskuzi.
Skupina mužů v červeno-černých bundách čeká na motorkách.
Muž oblečený v bílé uniformě s číslem 3 hrají fotbal.
Muž prodává svači na sportovní akci.
Dva muži z zeleného týmu srazili druhého černého týmu pro míč v rugbyu.
Děti závodící na fotbalovém míči.
Člověk v modrém je na osobě a hází míč na bowlingové dráze.
Několik fotbalistů na hřišti.
Mladý muž sedí na skateboardu a drží mobil, pózuje na eskalátoru.
Žena oblečená v modrém běží maraton.
Tato kapela se připravuje na vystoupení před publikem v kostele.
Hráč s číslem 88 Iaa Deaafinginging's se pokouší chytit protihráče.
Dva muži se smějí na leděné cestě před kamennou oblohou, sledují malý dav.
Muži hrají fotbal na fotbalovém hřišti.
Basketbalista v bílém dřepí, zatímco hráč v červeném se pohybuje k němu.
Lidé jdou skrz starovku ve starém městě.
Dvě závodní auta, jeden v červené a druhý v modrém, jedou podél pobřeží, zatímco se na ně dívají několik diváků.
Fotbalista v bílém dresu drží fotbalový míč.
Velmi mladý chlapec se dívá, zatímco kouše do malého předmětu.
Žena a dítě jdou po ulici.
Hokejový zápas probíhá s mnoha lidmi, kteří se dívají.
Tři ženy skáčou na míči v trávě.
Afroameričan v modrých šortkách a červeno-černých šortkách, červené košili, bílých teniskách hraje tenis.
Muž a žena v bílých tričkách se objímají.
Muž mluví k nemotní rodině a drží nějaký druh zařízení, zatímco se na něj směje.
Mladý chlapec v zeleném triku leží na bílé posteli.
Cyklista se zastavili, aby si mohli při západu slunce v pozadí.
Žena v zasněžené oblasti má na sobě teplé oblečení.
Čtyři dívky a žena se učí, jak se učí na nějakém výrobu.
Muž v černo-bílých pruhy se snaží zastavit koně.
Muž dělá obrázek, která je oblečená v modrém triku, na něj je žena v modrém triku.
Žena s červenými vlasy u krku je hluba v modré vodě.
Dva mladí chlapci pózují s štěně na fotku.
Čtyři děti cvičí karate, zatímco se dva dospělí dívají.
Muž lenoší na červeném gauči v nábytku.
Skupina lidí mluví u stolu.
Dva žokejové závodí, jeden v modré kostkovaném kostkovaném kostkovaném kostkovaném a druhý v oranžové, závodí v pozadí za rozmazaným pozadí.
Červené auto je před dvěma auty v pozadí.
Velký býk přihrává muže, který je pryč v rodeo rodeo rodeo, zatímco jeho klaun běží.
Muž bez trička jde ke žlutém kajaku.
Chlapec na pistole a střílí.
Dva týmy chlapců hrají fotbal v písku.
Dítě v modrém a dítě v bílém stojí na krátkých betonové zdi u potoku.
Žena maluje květin na hliněné hrnce.
Lidé jdou po rušné ulici v cizí zemi.
Těženký nadhazovač hází hod.
Dva muži, jeden v černo-bílé a druhý v červené, hrají volejbal na pláži.
Muž stojí na lodi a drží síť.
Surfař, který spadl z surfu v oceánu, zatímco se pokouší na vlnu.
Běžkyně připravuje teraky v laboratoři.
Fotbalisté skáčou do vzduchu, aby trefil míč s hlavou.
Dva chlapci hrají fotbal proti sobě.
Starší člověk přechází ulici s deštníkem v rukou.
Skupina běžců běží směrem k dvěma padáky.
Skateboardista jede na betonové zdi blízko padáku, zatímco se pokouší trik.
Lidé hrají hru v bazénu.
Muž dává pusu muži, aby holnici.
Muž cedule s nápisem "alfonfonfonfony v mladým chlapcem knihu."
Mladý muž v modrém triku sjíždí zábradlí na skateboardu ve městě.
Asijský muž sedí na trati s přepravou bedny.
Voják, oblečený v uniformě, mává své čepici, v pozadí sedí lidé a dívá se do vody.
Dvě auta jedou na závodní dráze.
Muž v černo-bílých dresech drží žluté lyžařské tyče a připravuje se.
Dva lidé leží a líbají na travnatém trávníku.
Velmi malé dítě v džínové kšiltovce jí zelené jablko.
Fotbalisté běží k míči.
Muž v černé bundě a kostkovaném klobouku a bílých pruhovaných kalhotách hraje na elektrickou kytaru na pódiu s dvěma zpěvákem v pozadí.
Muž skáče přes překážku od býka.
Žena v modrém triku a bílých šortkách hraje tenis.
Muž hraje na koncertě na koncertě.
Muž nese velký kus kosu na rameni na rameni.
Žena s kamerou hází frisbee pro svého hnědého psa, aby chytil.
Je zde muž z mužů a žena se dívají na svůj štět nebo velký dřevěný předmět.
Dvě dívky spí rukama ve fontáně, zatímco lidé prochází kolem.
Mokrý usmívající se dítě bez trika pózuje s rukama.
Dva muži, jeden v bílém a druhý v modrém, zápasí.
Žena v červených bikinách skáče do vzduchu, zatímco hraje volejbal na pláži.
Vysokoškolkyně si kouše blond blond holku na nose.
Žena, která má na sobě žluté zástěře, odpočívá z velkého hrnce.
Dvě děti přechází malou bronkou pomocí kamenného mostu.
Dvě africké ženy jedou na mopedu po městské ulici, která vypadá že je v dobře osvětleném městě.
Dva chlapci před přístrojem.
Jezdec na horském kole v černém jede po prašné cestě.
Žena s tetováním fotí obraz chlapce s jejím kafejem.
Žena v černém oblečení a bílé helmě jede na kole s rozmazanými stromy v pozadí.
Tým cyklistů se ohýbá, zatímco diváci sledují a fotí.
Čtyři fotbalisté v černém sráží protihráče, zatímco hráč v bílé je v dešti.
Běžec křičí na dvorku, zatímco ho dráží pomocí dvou krách.
Basketbalista v bílém dresu s číslem 555 na strážníku v černém dresu s číslem 111.
Muž mluví do telefonu venku.
Baseballový hráči během hry se dívají na protihráče.
Cyklista se otáčí v lese během podzim.
3 basketbalisté se snaží získat míč v červeném dresu, a druhý v bílém dresu se pokouší v bílém dresu.
Chlapec si bere nohu, zatímco skáče do vzduchu.
Dvě děti v pruhovaných svetrech a černých kalhotách se přetahují venku poblíž hraní.
Muž ve slunečních brýlích jede na koloběžce.
Malý chlapec v baseballovém dresu drží pásku za hlavou s baseballovým míčkem před ním.
Šest mužů sedí na poli s dřevěnými bedny.
Hnědý pes sbírá z kamene.
Tento muž je oblečen ve žlutém drží v ruce ranis hnědého koně.
Muž v bílém triku a zástěře krájí pták.
Žena venku používá sušenku.
Maratí běžci závodí na ulici ve městě, další lidé stojí okolo.
Asiatka v klobouku jede na kole.
Nějaké děti si hrají venku v hlíně, kde jsou dva stromy.
Starší muž hraje videohrní hru.
Dívka na pláži s horou v dálce.
